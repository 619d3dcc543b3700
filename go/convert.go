package signdoc

/*
#include <stdlib.h>
#include <signdoc.h>

int32_t signdoc_go_add_reader(signdoc_documents *documents, uintptr_t context, int64_t len,
                              const char *name, signdoc_error **error);
int32_t signdoc_go_set_result(signdoc_convert_options *options, uintptr_t context,
                              signdoc_error **error);
int32_t signdoc_go_set_writer(signdoc_convert_options *options, uintptr_t context,
                              signdoc_error **error);
*/
import "C"

import (
	"context"
	"io"
	"runtime/cgo"
	"unsafe"
)

// Document is one PDF; File, Bytes and Reader make it.
type Document struct {
	path        string
	data        []byte
	reader      io.Reader
	size        int64
	name        string
	allowSigned bool
}

// File is a PDF file. It is opened and checked when the call is made, and read while it is sent.
func File(path string) Document { return Document{path: path} }

// Bytes is a PDF in memory; a result that goes to a folder is called after name, which may be
// empty. The bytes are copied for the time of a call.
func Bytes(data []byte, name string) Document {
	if data == nil {
		data = []byte{}
	}
	return Document{data: data, name: name}
}

// Reader is a PDF that reader gives; size is below 0 where it is not known. It is read to its end
// by the first call, on the caller's goroutine, before anything of it is sent.
func Reader(reader io.Reader, size int64, name string) Document {
	return Document{reader: reader, size: size, name: name}
}

func (d Document) isGiven() bool { return d.path != "" || d.data != nil || d.reader != nil }

// AllowSigned lets the service convert a PDF that is already signed; its signature is removed.
// Deprecated by the interface specification.
func (d Document) AllowSigned() Document {
	d.allowSigned = true
	return d
}

// ConvertOptions say how documents are converted; the zero value is fine.
type ConvertOptions struct {
	// To is the folder the results go to; empty: they stay in memory.
	To string
	// Overwrite lets files in the folder be replaced.
	Overwrite bool
	// PDFSpec is what to convert to; empty: "PDFA_2B", the only one that the specification has.
	PDFSpec string
	// Lenient lets Convert succeed also where documents were not converted.
	Lenient bool
	// Write takes results instead of memory, part by part and one after another; an empty part says
	// that the result is complete. The part belongs to the call.
	Write func(index int, part []byte) error
	// Result is told each result of ConvertMany as soon as it is there, in the order in which they
	// come; those that ConvertMany gives in the end are without Data then.
	Result func(Conversion) error
	// Concurrency is how many calls ConvertMany has under way at the same time; 0 means 4.
	Concurrency int
	// Resume is a file that remembers what ConvertMany has done; empty: none. Needs To.
	Resume string
	CallOptions
}

// Remark is a warning, or a reason why a document was not converted.
type Remark struct {
	// Code is a Warning... or CodeConversion... number; 0 for what the specification does not have.
	Code int32
	// Name is the code's name, or the service's text where it has none.
	Name    string
	Message string
}

// Conversion is what came of one document.
type Conversion struct {
	Index        int
	ConversionID string
	Description  string
	Converted    bool
	// Failed says whether the service refused the document or sent nothing for it.
	Failed bool
	// Resumed says whether an earlier ConvertMany converted it, so that it was not sent again.
	Resumed  bool
	Warnings []Remark
	Errors   []Remark
	// Failure is why it could not be sent or its call failed, after ConvertMany.
	Failure *Error
	// Data is the converted PDF where the results stay in memory.
	Data []byte
	// Path is where it was written.
	Path string
	Size uint64
}

// Convert converts 1 to 15 PDFs of at most 3,750,000 bytes each to PDF/A-2B, in one call of the
// service. A document that was not converted makes it fail, unless options are lenient; the
// error's Results have what came of all of them.
func (c *Client) Convert(ctx context.Context, documents []Document, options ConvertOptions) ([]Conversion, error) {
	return c.convert(ctx, documents, options, false)
}

// ConvertMany converts any number of PDFs, each on its own: in calls of up to 15, several at the
// same time. No document's trouble hides the others: each has its Errors or its Failure.
func (c *Client) ConvertMany(ctx context.Context, documents []Document, options ConvertOptions) ([]Conversion, error) {
	return c.convert(ctx, documents, options, true)
}

func (c *Client) convert(ctx context.Context, documents []Document, options ConvertOptions, many bool) ([]Conversion, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	var keep keeper
	defer keep.free()
	trouble := &caught{}
	given, err := keep.documents(documents, trouble)
	if err != nil {
		return nil, err
	}
	if err := keep.pdfSpec(given, len(documents), options.PDFSpec); err != nil {
		return nil, err
	}
	settings, err := keep.options(options, trouble)
	if err != nil {
		return nil, err
	}
	folder := keep.text(options.To)
	var results *C.signdoc_results
	err = call(ctx, options.CallOptions, trouble, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		if many {
			return C.signdoc_convert_many(c.handle, given, folder, settings, options.timeoutMS(), view, &results, failure)
		}
		return C.signdoc_convert(c.handle, given, folder, settings, options.timeoutMS(), view, &results, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_results_free(results)
	return conversionsOf(results), nil
}

// keeper frees what a call needs on the side of C.
type keeper struct {
	frees []func()
}

func (k *keeper) later(free func()) { k.frees = append(k.frees, free) }

func (k *keeper) free() {
	for i := len(k.frees) - 1; i >= 0; i-- {
		k.frees[i]()
	}
}

// text is nil for an empty text.
func (k *keeper) text(text string) *C.char {
	if text == "" {
		return nil
	}
	return k.anyText(text)
}

func (k *keeper) anyText(text string) *C.char {
	made := C.CString(text)
	k.later(func() { C.free(unsafe.Pointer(made)) })
	return made
}

func (k *keeper) handle(value any) C.uintptr_t {
	handle := cgo.NewHandle(value)
	k.later(handle.Delete)
	return C.uintptr_t(handle)
}

func (k *keeper) documents(documents []Document, trouble *caught) (*C.signdoc_documents, error) {
	made := C.signdoc_documents_new()
	k.later(func() { C.signdoc_documents_free(made) })
	for index, document := range documents {
		if err := k.document(made, document, trouble); err != nil {
			return nil, err
		}
		if err := allowSigned(made, C.size_t(index), document); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (k *keeper) pdfSpec(in *C.signdoc_documents, count int, spec string) error {
	for index := 0; spec != "" && index < count; index++ {
		var failure *C.signdoc_error
		code := C.signdoc_documents_set(in, C.size_t(index), k.text("pdf_spec"), k.text(spec), &failure)
		if err := taken(code, failure); err != nil {
			return err
		}
	}
	return nil
}

func allowSigned(in *C.signdoc_documents, index C.size_t, document Document) error {
	if !document.allowSigned {
		return nil
	}
	var failure *C.signdoc_error
	code := C.signdoc_documents_set_allow_signed(in, index, 1, &failure)
	return taken(code, failure)
}

func (k *keeper) document(to *C.signdoc_documents, document Document, trouble *caught) error {
	var failure *C.signdoc_error
	name := k.text(document.name)
	switch {
	case document.reader != nil:
		context := k.handle(&source{caught: trouble, reader: document.reader})
		code := C.signdoc_go_add_reader(to, context, C.int64_t(document.size), name, &failure)
		return taken(code, failure)
	case document.data != nil:
		// C keeps the pointer until the call is over, so the bytes must not be Go's.
		data := C.CBytes(document.data)
		k.later(func() { C.free(data) })
		code := C.signdoc_documents_add_bytes(to, data, C.size_t(len(document.data)), name, &failure)
		return taken(code, failure)
	default:
		path := C.CString(document.path)
		k.later(func() { C.free(unsafe.Pointer(path)) })
		code := C.signdoc_documents_add_path(to, path, &failure)
		return taken(code, failure)
	}
}

func (k *keeper) options(options ConvertOptions, trouble *caught) (*C.signdoc_convert_options, error) {
	made := C.signdoc_convert_options_new()
	k.later(func() { C.signdoc_convert_options_free(made) })
	var failure *C.signdoc_error
	flag := func(on bool) C.int32_t {
		if on {
			return 1
		}
		return 0
	}
	code := C.signdoc_convert_options_set_strict(made, flag(!options.Lenient), &failure)
	if code == C.SIGNDOC_OK {
		code = C.signdoc_convert_options_set_overwrite(made, flag(options.Overwrite), &failure)
	}
	if code == C.SIGNDOC_OK && options.Concurrency != 0 {
		code = C.signdoc_convert_options_set_concurrency(made, C.size_t(options.Concurrency), &failure)
	}
	if code == C.SIGNDOC_OK {
		code = C.signdoc_convert_options_set_resume(made, k.text(options.Resume), &failure)
	}
	if code == C.SIGNDOC_OK && options.Write != nil {
		context := k.handle(&taker{caught: trouble, write: options.Write})
		code = C.signdoc_go_set_writer(made, context, &failure)
	}
	if code == C.SIGNDOC_OK && options.Result != nil {
		context := k.handle(&teller{caught: trouble, tell: options.Result})
		code = C.signdoc_go_set_result(made, context, &failure)
	}
	return made, taken(code, failure)
}

// conversionsOf copies what C knows of results, which stay C's.
func conversionsOf(results *C.signdoc_results) []Conversion {
	count := C.signdoc_results_count(results)
	if count == 0 {
		return nil
	}
	made := make([]Conversion, 0, int(count))
	for i := C.size_t(0); i < count; i++ {
		one := Conversion{
			Index:        int(C.signdoc_results_document(results, i)),
			ConversionID: C.GoString(C.signdoc_results_conversion_id(results, i)),
			Description:  C.GoString(C.signdoc_results_description(results, i)),
			Converted:    C.signdoc_results_converted(results, i) != 0,
			Failed:       C.signdoc_results_failed(results, i) != 0,
			Resumed:      C.signdoc_results_resumed(results, i) != 0,
			Failure:      errorOf(C.signdoc_results_failure(results, i)),
			Data:         bytesOf(C.signdoc_results_data(results, i)),
			Path:         C.GoString(C.signdoc_results_path(results, i)),
			Size:         uint64(C.signdoc_results_size(results, i)),
		}
		for w := C.size_t(0); w < C.signdoc_results_warning_count(results, i); w++ {
			one.Warnings = append(one.Warnings, Remark{
				Code:    int32(C.signdoc_results_warning_code(results, i, w)),
				Name:    C.GoString(C.signdoc_results_warning_name(results, i, w)),
				Message: C.GoString(C.signdoc_results_warning_message(results, i, w)),
			})
		}
		for e := C.size_t(0); e < C.signdoc_results_error_count(results, i); e++ {
			one.Errors = append(one.Errors, Remark{
				Code:    int32(C.signdoc_results_error_code(results, i, e)),
				Name:    C.GoString(C.signdoc_results_error_name(results, i, e)),
				Message: C.GoString(C.signdoc_results_error_message(results, i, e)),
			})
		}
		made = append(made, one)
	}
	return made
}
