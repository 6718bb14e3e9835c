package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"
)

const ellipsis = "…"

// A source is a package's code, to look texts up in.
type source struct {
	functions []*ast.FuncDecl
	consts    map[string]ast.Expr
	depth     int // of names that are being looked up
}

// deepest bounds how many names lead to a text: a name may be made of itself.
const deepest = 4

func newSource(files []*ast.File) *source {
	s := &source{consts: map[string]ast.Expr{}}
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					s.functions = append(s.functions, d)
				}
			case *ast.GenDecl:
				s.declare(d)
			}
		}
	}
	return s
}

func (s *source) declare(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for i, name := range v.Names {
			if i < len(v.Values) {
				s.consts[name.Name] = v.Values[i]
			}
		}
	}
}

// sourceOf parses a package.
func sourceOf(t *testing.T, p pkg) *source {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return newSource(files)
}

// texts are what an expression in a function may be.
func (s *source) texts(e ast.Expr, in *ast.FuncDecl) []string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return []string{text}
		}
	case *ast.BinaryExpr:
		var all []string
		for _, left := range s.texts(e.X, in) {
			for _, right := range s.texts(e.Y, in) {
				all = append(all, left+right)
			}
		}
		return all
	case *ast.Ident:
		if s.depth++; s.depth <= deepest {
			all := s.values(e.Name, in)
			s.depth--
			return orEllipsis(all)
		}
		s.depth--
	}
	return []string{ellipsis}
}

func orEllipsis(all []string) []string {
	if len(all) == 0 {
		return []string{ellipsis}
	}
	return all
}

// values are those of a name: a constant's, those that a variable is given in the
// function, or those that a parameter is given by the package's calls.
func (s *source) values(name string, in *ast.FuncDecl) (all []string) {
	if value, ok := s.consts[name]; ok {
		return s.texts(value, in)
	}
	if i := parameter(name, in); i >= 0 {
		return s.arguments(in.Name.Name, i)
	}
	ast.Inspect(in, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, left := range a.Lhs {
			if id, ok := left.(*ast.Ident); ok && id.Name == name {
				all = append(all, s.texts(a.Rhs[i], in)...)
			}
		}
		return true
	})
	return all
}

// parameter is the place of a parameter among a function's, or -1.
func parameter(name string, in *ast.FuncDecl) int {
	i := 0
	for _, field := range in.Type.Params.List {
		for _, p := range field.Names {
			if p.Name == name {
				return i
			}
			i++
		}
	}
	return -1
}

// arguments are what a function's calls give for one parameter.
func (s *source) arguments(function string, i int) (all []string) {
	for _, f := range s.functions {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || i >= len(call.Args) {
				return true
			}
			name := ""
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				name = fun.Name
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			}
			if name == function {
				all = append(all, s.texts(call.Args[i], f)...)
			}
			return true
		})
	}
	return all
}
