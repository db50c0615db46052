"""A real Argo server over its REST API, keeping `service.Service`.

Source of paths, bodies and error codes: Argo's `api/openapi-spec/swagger.json` and the answers
recorded in `tests/client/recorded`.
"""
