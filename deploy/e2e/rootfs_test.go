//go:build e2e

package e2e

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// rootfs writes an image's file system as a tar stream for `docker import`. The first error sticks and ends the stream.
type rootfs struct {
	tar  *tar.Writer
	seen map[string]bool
	err  error
}

// importImage makes an image of what fill writes. changes are Dockerfile instructions.
func (e *engine) importImage(tag string, changes []string, fill func(*rootfs)) error {
	args := []string{"import"}
	for _, change := range changes {
		args = append(args, "--change", change)
	}
	reader, writer := io.Pipe()
	cmd := e.command(context.Background(), append(args, "-", tag)...)
	cmd.Stdin = reader
	go func() {
		fsys := &rootfs{tar: tar.NewWriter(writer), seen: map[string]bool{}}
		fill(fsys)
		writer.CloseWithError(fsys.close())
	}()
	out, err := cmd.CombinedOutput()
	reader.Close()
	if err != nil {
		return fmt.Errorf("import %s: %w\n%s", tag, err, out)
	}
	return nil
}

func (r *rootfs) close() error {
	if r.err != nil {
		return r.err
	}
	return r.tar.Close()
}

func (r *rootfs) write(header *tar.Header, data io.Reader) {
	if r.err != nil || r.seen[header.Name] {
		return
	}
	r.seen[header.Name] = true
	if r.err = r.tar.WriteHeader(header); r.err != nil || data == nil {
		return
	}
	_, r.err = io.Copy(r.tar, data)
}

func (r *rootfs) dir(name string, mode int64) {
	r.write(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode}, nil)
}

func (r *rootfs) link(name, target string) {
	r.write(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777}, nil)
}

func (r *rootfs) text(name, content string)   { r.content(name, 0o644, content) }
func (r *rootfs) script(name, content string) { r.content(name, 0o755, "#!/bin/sh\n"+content) }

func (r *rootfs) content(name string, mode int64, content string) {
	r.write(&tar.Header{Name: name, Mode: mode, Size: int64(len(content))}, strings.NewReader(content))
}

// copy writes this machine's file source, links followed, as name.
func (r *rootfs) copy(source, name string) {
	file, err := os.Open(source)
	if err != nil {
		r.fail(err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		r.fail(err)
		return
	}
	r.write(&tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Size: info.Size()}, file)
}

// tree copies the directory source as name, without what skip names (by its path below source).
func (r *rootfs) tree(source, name string, skip func(string) bool) {
	r.fail(filepath.WalkDir(source, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || r.err != nil {
			return err
		}
		below, _ := filepath.Rel(source, file)
		switch {
		case skip(below) && entry.IsDir():
			return fs.SkipDir
		case skip(below):
		case entry.IsDir():
			r.dir(path.Join(name, below), 0o755)
		case entry.Type().IsRegular():
			r.copy(file, path.Join(name, below))
		}
		return nil
	}))
}

// program copies a program of this machine as name, with the shared libraries it is linked with.
func (r *rootfs) program(tool, name string) {
	source, err := exec.LookPath(tool)
	if err != nil {
		r.fail(err)
		return
	}
	r.copy(source, name)
	libraries, err := librariesOf(source)
	r.fail(err)
	for _, library := range libraries {
		r.copy(library, strings.TrimPrefix(library, "/"))
	}
}

func librariesOf(program string) ([]string, error) {
	static, err := isStatic(program)
	if err != nil || static {
		return nil, err
	}
	out, err := exec.Command("ldd", program).Output()
	if err != nil {
		return nil, fmt.Errorf("ldd %s: %w", program, err)
	}
	var libraries []string
	for _, word := range bytes.Fields(out) {
		if word[0] == '/' {
			libraries = append(libraries, string(word))
		}
	}
	return libraries, nil
}

func isStatic(program string) (bool, error) {
	file, err := elf.Open(program)
	if err != nil {
		return false, fmt.Errorf("%s: %w", program, err)
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return false, nil
		}
	}
	return true, nil
}

func (r *rootfs) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// busybox writes a small Linux: busybox with all its applets, root and a plain user.
func (r *rootfs) busybox() {
	r.dir("tmp", 0o1777)
	for _, dir := range []string{"bin", "dev", "etc", "proc", "root", "run", "sys", "var", "usr", "usr/bin"} {
		r.dir(dir, 0o755)
	}
	r.text("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/tmp:/bin/sh\n")
	r.text("etc/group", "root:x:0:\nuser:x:1000:\n")
	r.program("busybox", "bin/busybox")
	applets, err := exec.Command("busybox", "--list").Output()
	r.fail(err)
	for _, applet := range strings.Fields(string(applets)) {
		if applet != "busybox" {
			r.link("bin/"+applet, "busybox")
		}
	}
}
