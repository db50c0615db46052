# The training image: the demo's code and what it needs. `./deploy -r REGISTRY` builds it.
ARG BASE=python:3.11-slim
FROM ${BASE}

ENV PYTHONUNBUFFERED=1
WORKDIR /app

# Before the code, which changes more often. The secrets are pip's settings on the machine that
# builds, if it has any; no layer keeps them.
COPY dockerfiles/requirements.txt requirements.txt
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    --mount=type=secret,id=pip-certificates,target=/run/secrets/pip-certificates \
    python3 -m pip install --no-cache-dir -r requirements.txt

COPY argojobs argojobs
COPY workflows workflows

# For stand-alone testing; a step brings its own command.
CMD ["python3", "-u", "-c", "from workflows.demo import demo; demo(batch_size=64, epochs=1)"]
