"""Errors of CUDA and NCCL in a step's log.

Source: PyTorch docs (CUDA semantics, FAQ), JAX's `XlaRuntimeError`, CUDA runtime API reference
(error strings), NCCL docs (troubleshooting).
"""

from __future__ import annotations

from argojobs.diagnosis.cause import told

CAUSES = (
    told(
        "gpu-memory",
        r"CUDA out of memory|CUDA_ERROR_OUT_OF_MEMORY|RESOURCE_EXHAUSTED: Out of memory"
        r"(?: (?:while )?trying to allocate (?P<bytes>\d+))?|cudaErrorMemoryAllocation",
        "the GPU's memory was too small (CUDA out of memory)",
        "make the batch or the model smaller, or ask for a GPU with more memory",
        where="log",
    ),
    told(
        "gpu-driver",
        r"(?i)CUDA driver version is insufficient|NVIDIA driver on your system is too old"
        r"|forward compatibility was attempted|Driver/library version mismatch"
        r"|no kernel image is available",
        "the node's NVIDIA driver and the image's CUDA do not fit each other",
        "use an image with an older CUDA, or have the node's driver updated",
        where="log",
    ),
    told(
        "no-gpu",
        r"no CUDA-capable device|No CUDA GPUs are available|CUDA_ERROR_NO_DEVICE"
        r"|Found no NVIDIA driver|Torch not compiled with CUDA enabled|libcuda\.so\.1: cannot open",
        "the step finds no GPU (no CUDA device)",
        "let the step ask for one (gpu=1 in its resources), and use an image with CUDA",
        where="log",
    ),
    told(
        "nccl",
        r"NCCL (?:error|WARN)|ncclSystemError|ncclUnhandledCudaError|ncclInternalError"
        r"|Watchdog caught collective operation timeout|NCCL timeout",
        "the GPUs of the step do not reach each other (NCCL)",
        "set NCCL_DEBUG=INFO to see why; a larger /dev/shm and all ranks alive are what it is most often",
        where="log",
    ),
    told(
        "gpu-error",
        r"CUDA error: (?P<why>[^\n.]+)|Xid.*: (?P<xid>\d+)|uncorrectable ECC error",
        "the GPU failed: {why}{xid}",
        "retry it; set CUDA_LAUNCH_BLOCKING=1 to see where, and have the node looked at if it "
        "happens again",
        "argojobs retry {run}{options}",
        where="log",
    ),
)
