# The development image: the training image, and what one wants at a console. `./deploy` gives the
# image that it built of train.Dockerfile.
ARG IMAGE=train
FROM ${IMAGE}

COPY dockerfiles/requirements-dev.txt requirements-dev.txt
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    --mount=type=secret,id=pip-certificates,target=/run/secrets/pip-certificates \
    python3 -m pip install --no-cache-dir -r requirements-dev.txt

CMD ["bash"]
