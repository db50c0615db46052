"""What only Kubernetes offers: pods, nodes, rights, objects, and ways to a port inside.

All of it goes by a kubeconfig.
"""
