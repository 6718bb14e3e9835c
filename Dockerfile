# An image of one file, the static binary, for other images to take:
#
#   FROM debian:stable-slim
#   COPY --from=sbinit /sbinit /sbinit
#   ENTRYPOINT ["/sbinit", "--"]
#   CMD ["my-program"]
#
# BUILD_IMAGE is any image with Go, make and a shell. Where no registry is reachable, name a local one that has the
# modules of go.mod in its module cache, and build with --network none:
#
#   docker build --network none --build-arg BUILD_IMAGE=my-go -t sbinit .
#
# VERSION is what `sbinit version` says; without it the Makefile's default.
ARG BUILD_IMAGE=golang:1.26
FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION
RUN make build ${VERSION:+VERSION="$VERSION"}

FROM scratch
COPY --from=build /src/bin/sbinit /sbinit
ENTRYPOINT ["/sbinit", "--"]
