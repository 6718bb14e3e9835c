// Package e2e tests sbinit in real containers: a dockerd of the tests' own, real images, and the docker commands that
// people type.
//
// The tests carry the build tag e2e, since they need root, Debian's docker.io, docker-compose, busybox-static and tini
// packages, and bin/sbinit as `make build` leaves it:
//
//	go test -count=1 -tags e2e ./deploy/e2e
//
// Nothing is fetched. Images are imported from a busybox tree, containers have no network, and the project's
// Dockerfile is built by an image that holds this machine's Go and its module cache. A missing tool is a failure, never
// a skip: a container test that did not run proves nothing.
//
// The engine lives in a PID and a mount namespace whose first process dies with the tests, by SIGKILL too. So no
// dockerd, containerd, shim, container or mount outlives them, whatever a test does.
package e2e
