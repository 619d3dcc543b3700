package signdoc

// #include <signdoc.h>
import "C"

import (
	"io"
	"runtime/cgo"
	"unsafe"
)

// caught keeps the first thing that went wrong in functions of the caller's during a call.
type caught struct {
	err      error
	panicked any
}

// guard runs f; an error or panic is kept, and -1 given to C, which then ends the call.
func (c *caught) guard(f func() (int64, error)) (given int64) {
	defer func() {
		if reason := recover(); reason != nil {
			if c.panicked == nil {
				c.panicked = reason
			}
			given = -1
		}
	}()
	given, err := f()
	if err != nil {
		if c.err == nil {
			c.err = err
		}
		return -1
	}
	return given
}

// source is a reader on its way to C.
type source struct {
	*caught
	reader io.Reader
}

// taker is a writer of results on its way to C.
type taker struct {
	*caught
	write func(index int, part []byte) error
}

// teller is told results on their way from C.
type teller struct {
	*caught
	tell func(Conversion) error
}

// follower is what a call tells.
type follower struct {
	*caught
	progress func(Progress)
	log      func(LogEvent)
}

func behind[T any](context unsafe.Pointer) T {
	return cgo.Handle(uintptr(context)).Value().(T)
}

//export signdocGoRead
func signdocGoRead(context, buffer unsafe.Pointer, room C.size_t) C.int64_t {
	source := behind[*source](context)
	return C.int64_t(source.guard(func() (int64, error) {
		into := unsafe.Slice((*byte)(buffer), int(room))
		// A reader may give nothing a few times without being at its end.
		for tries := 0; tries < 100; tries++ {
			count, err := source.reader.Read(into)
			if count > 0 || err == io.EOF {
				return int64(count), nil
			}
			if err != nil {
				return -1, err
			}
		}
		return -1, io.ErrNoProgress
	}))
}

//export signdocGoWrite
func signdocGoWrite(context unsafe.Pointer, index C.size_t, bytes unsafe.Pointer, size C.size_t) C.int32_t {
	taker := behind[*taker](context)
	return C.int32_t(taker.guard(func() (int64, error) {
		var part []byte
		if size > 0 {
			part = unsafe.Slice((*byte)(bytes), int(size))
		}
		return 0, taker.write(int(index), part)
	}))
}

//export signdocGoResult
func signdocGoResult(context unsafe.Pointer, index C.size_t, result unsafe.Pointer) C.int32_t {
	teller := behind[*teller](context)
	return C.int32_t(teller.guard(func() (int64, error) {
		one := conversionsOf((*C.signdoc_results)(result))[0]
		one.Index = int(index)
		return 0, teller.tell(one)
	}))
}

//export signdocGoProgress
func signdocGoProgress(context unsafe.Pointer, toSend, sent, received C.uint64_t) C.int32_t {
	follower := behind[*follower](context)
	return C.int32_t(follower.guard(func() (int64, error) {
		follower.progress(Progress{ToSend: uint64(toSend), Sent: uint64(sent), Received: uint64(received)})
		return 0, nil
	}))
}

//export signdocGoLog
func signdocGoLog(context unsafe.Pointer, level C.int32_t, id, message *C.char) C.int32_t {
	follower := behind[*follower](context)
	return C.int32_t(follower.guard(func() (int64, error) {
		follower.log(LogEvent{
			Level:         LogLevel(level),
			CorrelationID: C.GoString(id),
			Message:       C.GoString(message),
		})
		return 0, nil
	}))
}
