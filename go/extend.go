package signdoc

/*
#include <stdlib.h>
#include <signdoc.h>
*/
import "C"

import (
	"context"
	"encoding/json"
	"io"
)

// ExtendRequest is how a signed PDF is extended. No account with the service is needed.
type ExtendRequest struct {
	// Network are options of which "tsa_url", the address of a timestamp authority (RFC 3161), and
	// those about connections count.
	Network Options
	// Level is "B-LTA" (also where it is empty), or "B-LT", which adds a timestamp only where a
	// signature has none.
	Level string
	// Trust are certificates (PEM or DER) at which chains may end; timestamps use them as well where
	// TimestampTrust is empty. Without any, chains are taken to end where they lead.
	Trust, TimestampTrust []Document
	// Certificates may stand in chains. Revocations are OCSP answers (DER) and revocation lists (DER
	// or PEM), asked before anybody else.
	Certificates, Revocations []Document
	// Options are pairs of key and value, such as {"fetch", "false"}; signdoc_extend_options_set in
	// signdoc.h describes them all.
	Options [][2]string
	CallOptions
}

// Extended is an extended PDF, and what was added to it.
type Extended struct {
	// Data is the PDF where it is in memory; Path is the file it was written to.
	Data []byte `json:"-"`
	Path string `json:"path"`
	Size int64  `json:"size"`
	// Level is the PAdES baseline level that all signatures reach; empty where one reaches none.
	Level string `json:"level"`
	// Reached says whether that is at least the level that was asked for.
	Reached    bool             `json:"reached"`
	Signatures []SignatureLevel `json:"signatures"`
	Added      []Added          `json:"added"`
	// Notes are about what could not be had.
	Notes []ExtendNote `json:"notes"`
}

// SignatureLevel is a signature and its level, before and now.
type SignatureLevel struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	Level  string `json:"level"`
}

// Added is something that was added: of kind "certificate", "ocsp", "crl" or "timestamp".
type Added struct {
	Kind   string `json:"kind"`
	About  string `json:"about"`
	Source string `json:"source"`
	Size   int64  `json:"size"`
	Time   string `json:"time"`
}

// ExtendNote tells what could not be had, and what helps.
type ExtendNote struct {
	About   string `json:"about"`
	Message string `json:"message"`
	Advice  string `json:"advice"`
}

// Extend adds to a signed PDF what its validation needs when its certificates have ended, and writes
// the result to the file to, or keeps it in memory where to is empty. A file that has all that is
// renewed. Its bytes stay an untouched prefix; it is verified first, and what is made of it before
// it is handed out.
func Extend(ctx context.Context, document Document, to string, request ExtendRequest) (*Extended, error) {
	var keep keeper
	defer keep.free()
	trouble := &caught{}
	given, err := keep.documents([]Document{document}, trouble)
	if err != nil {
		return nil, err
	}
	network := C.signdoc_options_new()
	keep.later(func() { C.signdoc_options_free(network) })
	for key, value := range request.Network {
		if err := set(network, key, value); err != nil {
			return nil, err
		}
	}
	asked, err := keep.extendOptions(request)
	if err != nil {
		return nil, err
	}
	file := keep.text(to)
	var made *C.signdoc_extended
	err = call(ctx, request.CallOptions, trouble, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_extend(given, network, asked, file, request.timeoutMS(), view, &made, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_extended_free(made)
	extended := &Extended{}
	if err := json.Unmarshal([]byte(C.GoString(C.signdoc_extended_json(made))), extended); err != nil {
		return nil, err
	}
	extended.Data = bytesOf(C.signdoc_extended_data(made))
	return extended, nil
}

func (k *keeper) extendOptions(request ExtendRequest) (*C.signdoc_extend_options, error) {
	options := C.signdoc_extend_options_new()
	k.later(func() { C.signdoc_extend_options_free(options) })
	pairs := request.Options
	if request.Level != "" {
		pairs = append([][2]string{{"level", request.Level}}, pairs...)
	}
	var failure *C.signdoc_error
	for _, pair := range pairs {
		code := C.signdoc_extend_options_set(options, k.anyText(pair[0]), k.anyText(pair[1]), &failure)
		if err := taken(code, failure); err != nil {
			return nil, err
		}
	}
	for key, files := range map[string][]Document{
		"trust": request.Trust, "timestamp_trust": request.TimestampTrust,
		"certificates": request.Certificates, "revocations": request.Revocations,
	} {
		for _, file := range files {
			if err := k.extendFile(options, key, file); err != nil {
				return nil, err
			}
		}
	}
	return options, nil
}

func (k *keeper) extendFile(options *C.signdoc_extend_options, key string, file Document) error {
	if file.reader != nil {
		data, err := io.ReadAll(file.reader)
		if err != nil {
			return err
		}
		file = Bytes(data, "")
	}
	var failure *C.signdoc_error
	if file.data == nil {
		code := C.signdoc_extend_options_set(options, k.text(key), k.anyText(file.path), &failure)
		return taken(code, failure)
	}
	// C keeps the pointer until the options are freed, so the bytes must not be Go's.
	data := C.CBytes(file.data)
	k.later(func() { C.free(data) })
	code := C.signdoc_extend_options_set_bytes(options, k.text(key), data, C.size_t(len(file.data)), &failure)
	return taken(code, failure)
}
