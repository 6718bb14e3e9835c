# An image of one file, the static binary. COMMIT is what `sbinit version` says that it was built from:
#
#   docker build --build-arg COMMIT=$(git rev-parse HEAD) --tag sbinit .
#
# Other images take it:
#
#   FROM debian:stable-slim
#   COPY --from=sbinit /sbinit /sbinit
#   ENTRYPOINT ["/sbinit", "--"]
#   CMD ["my-program"]
#
# BUILD_IMAGE is any image with Go, make and a shell. Where no registry is reachable, name a local one that has the
# modules of go.mod in its module cache, and build with --network none --build-arg BUILD_IMAGE=my-go.
ARG BUILD_IMAGE=golang:1.26
FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG COMMIT=unknown
RUN make build COMMIT="$COMMIT"

FROM scratch
COPY --from=build /src/bin/sbinit /sbinit
ENTRYPOINT ["/sbinit", "--"]
