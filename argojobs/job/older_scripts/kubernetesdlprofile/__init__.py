# travels with: kubernetesdlprofile
"""The library of the Kubernetes deep learning scheduler, for scripts that were written for it."""
