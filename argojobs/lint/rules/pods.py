"""Rules for what Kubernetes makes of a template: environment, volumes, ports, resources."""

from __future__ import annotations

from argojobs.lint.rules.rule import ARGO, KUBERNETES, Rule

RULES = (
    Rule(
        "env-name",
        "error",
        "An environment variable that cannot have its name",
        "Kubernetes refuses the pod.",
        "Letters, digits, `_`, `-` and `.`, no digit first.",
        KUBERNETES + "tasks/inject-data-application/define-environment-variable-container/",
        """\
container:
  image: busybox:1.36
  env:
  - {name: 1st, value: a}
""",
        """\
container:
  image: busybox:1.36
  env:
  - {name: FIRST, value: a}
""",
    ),
    Rule(
        "env-twice",
        "warning",
        "An environment variable that is set twice",
        "The last one wins.",
        "Keep one.",
        KUBERNETES + "tasks/inject-data-application/define-environment-variable-container/",
        """\
container:
  image: busybox:1.36
  env:
  - {name: A, value: a}
  - {name: A, value: b}
""",
        """\
container:
  image: busybox:1.36
  env:
  - {name: A, value: b}
""",
    ),
    Rule(
        "env-value",
        "warning",
        "An environment variable without a value, or with two",
        "Without one it is empty; with value and valueFrom, Kubernetes refuses the pod.",
        "Give it one.",
        KUBERNETES + "tasks/inject-data-application/define-environment-variable-container/",
        """\
container:
  image: busybox:1.36
  env:
  - {name: A}
""",
        """\
container:
  image: busybox:1.36
  env:
  - {name: A, value: ''}
""",
    ),
    Rule(
        "volume-name",
        "error",
        "A volume without a name of its own",
        "Names of volumes have lower case letters, digits and `-`, and stand once.",
        "Rename it.",
        KUBERNETES + "concepts/storage/volumes/",
        """\
volumes:
- name: My_Data
  emptyDir: {}
""",
        """\
volumes:
- name: my-data
  emptyDir: {}
""",
    ),
    Rule(
        "volume-undeclared",
        "error",
        "A mount of a volume that is not there",
        "Kubernetes refuses the pod; Argo's lint passes it.",
        "Declare it in `volumes`, of the template or the workflow.",
        ARGO + "walk-through/volumes/",
        """\
container:
  image: busybox:1.36
  volumeMounts:
  - {name: data, mountPath: /data}
""",
        """\
container:
  image: busybox:1.36
  volumeMounts:
  - {name: data, mountPath: /data}
volumes:
- name: data
  emptyDir: {}
""",
    ),
    Rule(
        "mount-path",
        "error",
        "Two mounts at one path, or a mount without",
        "Kubernetes refuses the pod.",
        "Mount it elsewhere.",
        ARGO + "walk-through/volumes/",
        """\
container:
  image: busybox:1.36
  volumeMounts:
  - {name: a, mountPath: /x}
  - {name: a, mountPath: /x}
volumes:
- name: a
  emptyDir: {}
""",
        """\
container:
  image: busybox:1.36
  volumeMounts:
  - {name: a, mountPath: /x}
  - {name: a, mountPath: /y}
volumes:
- name: a
  emptyDir: {}
""",
    ),
    Rule(
        "port",
        "error",
        "A port that is none",
        "Kubernetes refuses the pod.",
        "1 to 65535, each name once.",
        KUBERNETES + "concepts/services-networking/service/",
        """\
container:
  image: busybox:1.36
  ports:
  - {containerPort: 70000}
""",
        """\
container:
  image: busybox:1.36
  ports:
  - {containerPort: 6006}
""",
    ),
    Rule(
        "host-port-runs",
        "warning",
        "A host port that two runs would both want",
        "Within one run nothing collides; but a second run of it, or anybody's with the same port, "
        "waits for a node of its own as long as the first one holds the port.",
        "Remove hostPort; a pod's port is reached without it, by `argojobs port-forward`.",
        KUBERNETES + "concepts/configuration/overview/",
        """\
container:
  image: busybox:1.36
  ports:
  - {containerPort: 6006, hostPort: 6006}
""",
        """\
container:
  image: busybox:1.36
  ports:
  - {containerPort: 6006}
""",
    ),
    Rule(
        "host-port",
        "warning",
        "Host ports that collide",
        "Two pods that want the same port of their node never share a node: tasks that "
        "could run at once wait for each other in silence.",
        "Remove hostPort; a pod's port is reached without it.",
        KUBERNETES + "concepts/configuration/overview/",
        """\
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: t}
    - {name: b, template: t}
- name: t
  container:
    image: busybox:1.36
    ports:
    - {containerPort: 6006, hostPort: 6006}
""",
        """\
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: t}
    - {name: b, template: t}
- name: t
  container:
    image: busybox:1.36
    ports:
    - {containerPort: 6006}
""",
    ),
    Rule(
        "quantity",
        "error",
        "A quantity that is none",
        "Kubernetes refuses the pod.",
        "A number with a unit: 500m, 2, 40Gi.",
        KUBERNETES + "reference/kubernetes-api/common-definitions/quantity/",
        """\
container:
  image: busybox:1.36
  resources:
    limits: {memory: 40GB}
""",
        """\
container:
  image: busybox:1.36
  resources:
    limits: {memory: 40Gi}
""",
    ),
    Rule(
        "request-above-limit",
        "error",
        "A request above its limit",
        "Kubernetes refuses the pod.",
        "Lower the request, or raise the limit.",
        KUBERNETES + "concepts/configuration/manage-resources-containers/",
        """\
container:
  image: busybox:1.36
  resources:
    requests: {cpu: 2}
    limits: {cpu: 500m}
""",
        """\
container:
  image: busybox:1.36
  resources:
    requests: {cpu: 2}
    limits: {cpu: 4}
""",
    ),
    Rule(
        "gpu-request",
        "error",
        "A GPU requested without a limit",
        "Kubernetes takes GPUs from limits; a request alone is refused.",
        "Move it to limits.",
        KUBERNETES + "tasks/manage-gpus/scheduling-gpus/",
        """\
container:
  image: busybox:1.36
  resources:
    requests: {nvidia.com/gpu: 1}
""",
        """\
container:
  image: busybox:1.36
  resources:
    limits: {nvidia.com/gpu: 1, cpu: 4, memory: 16Gi}
""",
    ),
    Rule(
        "gpu-limits",
        "warning",
        "A step with a GPU and no other limits",
        "Without a limit of memory it may take its node's, and is the first to be evicted; without a "
        "request of cpu it may get next to none, and the GPU waits.",
        "Add a limit of memory, and a request or limit of cpu.",
        KUBERNETES + "concepts/configuration/manage-resources-containers/",
        """\
container:
  image: busybox:1.36
  resources:
    limits: {nvidia.com/gpu: 1}
""",
        """\
container:
  image: busybox:1.36
  resources:
    requests: {cpu: 4}
    limits: {nvidia.com/gpu: 1, memory: 16Gi}
""",
    ),
)
