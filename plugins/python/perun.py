# SPDX-License-Identifier: BSD-3-Clause
"""Profiles, stores and histories of Perun as plain Python data, and as frames of pandas where that is installed.

    import perun

    profile = perun.read("cpu.pb.gz")              # any format that perun reads
    profile.metrics                                # [Metric(name='cpu', unit='nanoseconds', ...)]
    profile.resources()                            # a list of dictionaries
    profile.dataframe()                            # the same for pandas

    store = perun.Store()                          # of the current directory
    store.profile("HEAD~1^0@i")                    # what a command line calls so
    store.history("time(real)").dataframe()        # a row for each version and place
    store.history("time(real)").changes()          # where levels changed

It reads only. Everything is copied out of the library before a function returns. A store belongs to the thread that
opened it. What fails raises perun.Error, whose text is the line that the command prints and whose `status` is its
exit code.
"""
import collections
import ctypes
import json
import os
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

__all__ = ["Error", "History", "Metric", "Profile", "Store", "read", "resources_to_pandas_dataframe", "version"]

LIB_VERSION = 1  # PERUN_LIB_VERSION of the headers that the structs below were taken from
INT64, UINT64, DOUBLE, BOOL, STRING, JSON, STACK, LABELS, POINT, ROW = range(10)
DIRECTIONS = (None, "lower", "higher")
OPTIMIZATION, DEGRADATION = 2, 9


class Error(Exception):
    """What the library said, and the status as the exit code of the command."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


Metric = collections.namedtuple("Metric", "name unit description better rows")


# ---- the structs of the public headers; each one of the library begins with the size that it has there ------------


class _Buffer(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t), ("capacity", c_size_t)]


class _ColumnInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("type", c_int), ("role", c_int)]


class _Span(ctypes.Structure):
    _fields_ = [("first", c_size_t), ("count", c_size_t), ("cells", c_void_p), ("absent", POINTER(c_uint64)),
                ("integers", POINTER(c_uint64))]


class _Metric(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("name", c_char_p), ("unit", c_char_p), ("description", c_char_p),
                ("parent", c_char_p), ("better", c_int), ("measure", c_int), ("inclusive", c_bool), ("kept", c_int),
                ("values", c_void_p), ("selector", c_void_p * 2), ("selected", c_uint32 * 2), ("rows", c_size_t)]


class _LookupOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("revision", c_char_p), ("store", c_void_p), ("open", c_void_p),
                ("data", c_void_p)]


class _Entry(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("time", c_uint32), ("checksum", ctypes.c_char * 65), ("path", c_char_p),
                ("type", c_char_p), ("cmd", c_char_p), ("args", c_char_p), ("workload", c_char_p),
                ("collector", c_char_p), ("postprocessors", c_char_p)]


class _Entries(ctypes.Structure):
    _fields_ = [("items", c_void_p), ("count", c_size_t), ("stride", c_size_t), ("memory", c_void_p)]


class _Version(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("checksum", c_char_p), ("author", c_char_p), ("email", c_char_p),
                ("date", c_int64), ("description", c_char_p)]


class _HistoryOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("range", c_char_p), ("metric", c_char_p), ("location", c_char_p),
                ("machine", c_char_p), ("across_machines", c_bool), ("better", c_int), ("every_metric", c_bool),
                ("machines_apart", c_bool), ("last", c_size_t)]


class _ChangePoint(ctypes.Structure):
    _fields_ = [("index", c_size_t), ("first", c_size_t), ("end", c_size_t), ("before", c_double),
                ("after", c_double), ("shift", c_double), ("low", c_double), ("high", c_double), ("p", c_double)]


class _Segmentation(ctypes.Structure):
    _fields_ = [("points", POINTER(_ChangePoint)), ("count", c_size_t)]


class _Strand(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("kind", c_int), ("command", c_char_p), ("metric", c_char_p),
                ("unit", c_char_p), ("location", c_char_p), ("whole", c_bool), ("says", c_bool), ("higher", c_bool),
                ("count", c_size_t), ("values", POINTER(c_double)), ("repeats", POINTER(c_double)),
                ("starts", POINTER(c_size_t)), ("sessions", POINTER(c_size_t)), ("session_count", c_size_t),
                ("labels", POINTER(c_char_p)), ("changes", POINTER(_Segmentation))]


_SIGNATURES = {
    "perun_version": (c_char_p,),
    "perun_lib_version": (ctypes.c_uint,),
    "perun_free": (None, c_void_p),
    "perun_ctx_new": (c_void_p, c_void_p),
    "perun_ctx_free": (None, c_void_p),
    "perun_ctx_error": (c_char_p, c_void_p),
    "perun_ctx_clear": (None, c_void_p),
    "perun_buffer_free": (None, POINTER(_Buffer)),
    "perun_read_profile_file": (c_int, c_void_p, c_char_p, POINTER(c_void_p)),
    "perun_profile_unref": (None, c_void_p),
    "perun_profile_document": (c_void_p, c_void_p),
    "perun_json_print": (None, c_void_p, POINTER(_Buffer), c_int, ctypes.c_uint),
    "perun_profile_tables": (c_size_t, c_void_p),
    "perun_profile_table_at": (c_void_p, c_void_p, c_size_t),
    "perun_profile_table": (c_void_p, c_void_p, c_char_p),
    "perun_table_name": (c_char_p, c_void_p),
    "perun_table_rows": (c_size_t, c_void_p),
    "perun_table_columns": (c_size_t, c_void_p),
    "perun_table_column_at": (c_void_p, c_void_p, c_size_t),
    "perun_column_info": (POINTER(_ColumnInfo), c_void_p),
    "perun_column_span": (c_bool, c_void_p, c_size_t, POINTER(_Span)),
    "perun_column_print_json": (None, c_void_p, c_size_t, POINTER(_Buffer)),
    "perun_column_flat": (None, c_void_p, c_size_t, POINTER(_Buffer)),
    "perun_metrics": (POINTER(POINTER(_Metric)), c_void_p, POINTER(c_size_t)),
    "perun_store_open": (c_int, c_void_p, c_char_p, POINTER(c_void_p)),
    "perun_store_close": (None, c_void_p),
    "perun_store_root": (c_char_p, c_void_p),
    "perun_store_entries": (c_int, c_void_p, c_void_p, c_char_p, POINTER(_Entries)),
    "perun_store_sort": (c_int, c_void_p, c_void_p, POINTER(_Entries), c_char_p),
    "perun_entries_free": (None, POINTER(_Entries)),
    "perun_lookup_version": (c_int, c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
    "perun_lookup_new": (c_void_p, POINTER(_LookupOptions)),
    "perun_lookup_free": (None, c_void_p),
    "perun_lookup_add": (c_int, c_void_p, c_void_p, c_char_p, ctypes.c_uint),
    "perun_lookup_count": (c_size_t, c_void_p),
    "perun_lookup_at": (c_void_p, c_void_p, c_size_t),
    "perun_lookup_load": (c_int, c_void_p, c_void_p, c_void_p, POINTER(c_void_p)),
    "perun_history_load": (c_int, c_void_p, c_void_p, POINTER(_HistoryOptions), POINTER(c_void_p)),
    "perun_history_free": (None, c_void_p),
    "perun_history_count": (c_size_t, c_void_p),
    "perun_history_strand": (POINTER(_Strand), c_void_p, c_size_t),
    "perun_history_line": (c_void_p, c_void_p),
    "perun_history_find_changes": (c_int, c_void_p, c_void_p, c_void_p, c_double),
    "perun_version_line_count": (c_size_t, c_void_p),
    "perun_version_line_version": (POINTER(_Version), c_void_p, c_size_t),
    "perun_strand_result": (c_int, POINTER(_Strand), POINTER(_ChangePoint)),
}


def _load():
    name = os.environ.get("PERUN_LIBRARY") or "libperun.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError("cannot load Perun's library: %s; PERUN_LIBRARY may name its file" % error) from None
    for function, (result, *arguments) in _SIGNATURES.items():
        entry = getattr(library, function)
        entry.restype, entry.argtypes = result, arguments
    if library.perun_lib_version() != LIB_VERSION:
        raise ImportError("this module is for version %d of Perun's growing interface, %s has %d" %
                          (LIB_VERSION, name, library.perun_lib_version()))
    return library


_lib = _load()


def version():
    """The version of the library, "1.2.3"."""
    return _lib.perun_version().decode()


def _text(value):
    return value.decode("utf-8", "surrogateescape") if value is not None else None


def _bytes(value):
    return os.fsencode(value) if value is not None else None


def _size(struct):
    return ctypes.sizeof(struct)


class _Context:
    """A context of the library for one call after the other."""

    def __init__(self):
        self.pointer = _lib.perun_ctx_new(None)

    def __del__(self):
        _lib.perun_ctx_free(self.pointer)

    def call(self, function, *arguments):
        status = function(self.pointer, *arguments)
        if status:
            message = _text(_lib.perun_ctx_error(self.pointer)) or "status %d" % status
            _lib.perun_ctx_clear(self.pointer)
            raise Error(message, status)


def _printed(function, *arguments):
    """What a function appends to a buffer."""
    buffer = _Buffer()
    try:
        function(*arguments, ctypes.byref(buffer))
        return ctypes.string_at(buffer.data, buffer.length) if buffer.length else b""
    finally:
        _lib.perun_buffer_free(ctypes.byref(buffer))


# ---- profiles ----------------------------------------------------------------------------------------------------

_CELLS = {INT64: c_int64, UINT64: c_uint64, DOUBLE: c_double, BOOL: ctypes.c_uint8}


class _Column:
    """A column of a table: its cells are copied when they are asked for."""

    def __init__(self, pointer):
        info = _lib.perun_column_info(pointer).contents
        self.pointer, self.name, self.type = pointer, _text(info.name), info.type

    def spans(self):
        """The first row, the cells and the bitmaps of absent cells and of integers, run by run."""
        span, row = _Span(), 0
        cell = _CELLS.get(self.type, c_uint32)
        while _lib.perun_column_span(self.pointer, row, ctypes.byref(span)):
            yield span.first, (cell * span.count).from_address(span.cells), span.absent, span.integers
            row = span.first + span.count

    def _read(self, known, identifier, row, flat):
        value = known.get(identifier)
        if value is None:
            if flat:
                value = _printed(_lib.perun_column_flat, self.pointer, row).decode("utf-8", "surrogateescape")
            else:
                value = json.loads(_printed(_lib.perun_column_print_json, self.pointer, row))
                value = tuple(value) if self.type == STACK else value
            known[identifier] = value
        return value

    def values(self, flat=False):
        """A list; None where a cell is absent. `flat`: JSON and stacks as one text."""
        result, known = [], {}
        for first, cells, absent, integers in self.spans():
            run = list(cells)
            if self.type == BOOL:
                run = [bool(cell) for cell in run]
            elif self.type == DOUBLE and integers:
                run = [int(cell) if integers[i // 64] >> i % 64 & 1 else cell for i, cell in enumerate(run)]
            elif self.type > BOOL and self.type != ROW:
                run = [self._read(known, cell, first + i, flat) if cell != 0xFFFFFFFF else None
                       for i, cell in enumerate(run)]
            if absent:
                run = [None if absent[i // 64] >> i % 64 & 1 else cell for i, cell in enumerate(run)]
            result += run
        return result

    def series(self, pandas, flat=False):
        """The same for pandas, without a list in between where the cells are numbers."""
        if self.type not in _CELLS or (self.type != DOUBLE and any(absent for _, _, absent, _ in self.spans())):
            kind = {INT64: "Int64", UINT64: "UInt64", BOOL: "boolean", ROW: "Int64"}.get(self.type, "object")
            return pandas.Series(self.values(flat), dtype=kind)
        import numpy
        runs = [numpy.array(cells) for _, cells, _, _ in self.spans()]
        cells = numpy.concatenate(runs) if runs else numpy.array([], dtype=_CELLS[self.type])
        return pandas.Series(cells.astype(bool) if self.type == BOOL else cells)


class Profile:
    """A profile that was read: its document, its metrics and its tables."""

    def __init__(self, pointer):
        self._pointer = pointer

    def __del__(self):
        _lib.perun_profile_unref(self._pointer)

    @property
    def document(self):
        """What the profile says of itself: its header, its machine, what it was measured with."""
        document = _lib.perun_profile_document(self._pointer)
        return json.loads(_printed(lambda out: _lib.perun_json_print(document, out, 0, 0)))

    @property
    def metrics(self):
        """What was measured: a list of Metric."""
        count = c_size_t()
        found = _lib.perun_metrics(self._pointer, ctypes.byref(count))
        metrics = (found[i].contents for i in range(count.value))
        return [Metric(_text(m.name), _text(m.unit) or "", _text(m.description) or "", DIRECTIONS[m.better], m.rows)
                for m in metrics]

    @property
    def tables(self):
        """The names of its tables; "resources" is what was measured."""
        count = _lib.perun_profile_tables(self._pointer)
        return [_text(_lib.perun_table_name(_lib.perun_profile_table_at(self._pointer, i))) for i in range(count)]

    def _columns(self, table):
        pointer = _lib.perun_profile_table(self._pointer, _bytes(table))
        if not pointer:
            return []
        return [_Column(_lib.perun_table_column_at(pointer, i)) for i in range(_lib.perun_table_columns(pointer))]

    def table(self, name="resources"):
        """The columns of a table: a dictionary of lists; None where a cell is absent."""
        return {column.name: column.values() for column in self._columns(name)}

    def resources(self, name="resources"):
        """The rows of a table: dictionaries without the absent cells. Stacks are tuples, the outermost first."""
        columns = self.table(name)
        return [{key: value for key, value in zip(columns, row) if value is not None}
                for row in zip(*columns.values())]

    def dataframe(self, name="resources"):
        """A table as pandas.DataFrame, with nullable columns where integers are absent."""
        import pandas
        return pandas.DataFrame({column.name: column.series(pandas) for column in self._columns(name)})


def read(path):
    """The profile of a file in any format that perun reads; "-" is standard input."""
    profile = c_void_p()
    _Context().call(_lib.perun_read_profile_file, _bytes(path), ctypes.byref(profile))
    return Profile(profile)


def _items(key, value):
    """A member of a resource and all that is in it, as "uid:function"."""
    if isinstance(value, dict):
        for inner, member in value.items():
            yield from _items("%s:%s" % (key, inner), member)
    elif not isinstance(value, (list, tuple)):
        yield key, value


def resources_to_pandas_dataframe(profile):
    """The frame that the Python program's function of this name makes of a profile.

    A column for each key of the resources, members of objects as "uid:function", objects and lists as one text, and
    the number of the snapshot in "snapshots".
    """
    import pandas
    frame = {}
    for column in profile._columns("resources"):
        if column.name in ("kind", "stack"):  # what the reader of Perun's own format adds
            continue
        name = "snapshots" if column.name == "snapshot" else column.name
        frame[name] = column.series(pandas, flat=True)
        if column.type == JSON:
            members = [dict(_items(name, value)) for value in column.values()]
            for key in sorted({key for member in members for key in member} - {name}):
                frame[key] = pandas.Series([member.get(key) for member in members])
    if "snapshots" not in frame and frame:
        frame["snapshots"] = 0
    return pandas.DataFrame(frame, columns=sorted(frame)).infer_objects()


# ---- stores ------------------------------------------------------------------------------------------------------


class Store:
    """The store of a directory, the current one by default."""

    def __init__(self, path=None):
        self._context = _Context()
        self._pointer = c_void_p()
        self._context.call(_lib.perun_store_open, _bytes(path), ctypes.byref(self._pointer))

    def __del__(self):
        _lib.perun_store_close(self._pointer)

    @property
    def root(self):
        """The directory that holds .perun."""
        return _text(_lib.perun_store_root(self._pointer))

    def version(self, revision=None):
        """The checksum of a version: "HEAD~2", a tag, the first digits; the head by default."""
        checksum = c_void_p()
        self._context.call(_lib.perun_lookup_version, self._pointer, _bytes(revision), ctypes.byref(checksum))
        try:
            return _text(ctypes.string_at(checksum))
        finally:
            _lib.perun_free(checksum)

    def entries(self, revision=None):
        """The profiles that are registered with a version, in the order of their tags: 0@i, 1@i ..."""
        entries = _Entries()
        self._context.call(_lib.perun_store_entries, self._pointer, self.version(revision).encode(),
                           ctypes.byref(entries))
        try:
            self._context.call(_lib.perun_store_sort, self._pointer, ctypes.byref(entries), None)
            found = (_Entry.from_address(entries.items + i * entries.stride) for i in range(entries.count))
            return [{name: value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
                     for name, value in ((name, getattr(entry, name)) for name, _ in _Entry._fields_[1:])}
                    for entry in found]
        finally:
            _lib.perun_entries_free(ctypes.byref(entries))

    def profile(self, word, revision=None):
        """The profile that a word names: "0@i", "HEAD~1^0@i", "0@p", a checksum, a name, a file."""
        options = _LookupOptions(_size(_LookupOptions), _bytes(revision), self._pointer)
        lookup = _lib.perun_lookup_new(ctypes.byref(options))
        try:
            self._context.call(_lib.perun_lookup_add, lookup, _bytes(word), 7)
            if _lib.perun_lookup_count(lookup) != 1:
                raise Error("%s names %d profiles" % (word, _lib.perun_lookup_count(lookup)), 2)
            profile = c_void_p()
            self._context.call(_lib.perun_lookup_load, lookup, _lib.perun_lookup_at(lookup, 0),
                               ctypes.byref(profile))
            return Profile(profile)
        finally:
            _lib.perun_lookup_free(lookup)

    def history(self, metric=None, range=None, location=None, machine=None, across_machines=False, last=0):
        """The values of a metric over the versions of a range ("v1..HEAD"); of every metric by default."""
        options = _HistoryOptions(_size(_HistoryOptions), _bytes(range), _bytes(metric), _bytes(location),
                                  _bytes(machine), across_machines, 0, metric is None, False, last)
        history = c_void_p()
        self._context.call(_lib.perun_history_load, self._pointer, ctypes.byref(options), ctypes.byref(history))
        try:
            self._context.call(_lib.perun_history_find_changes, history, None, 0.01)
            return History(history)
        finally:
            _lib.perun_history_free(history)


class History:
    """Strands, each a metric at a place of a command over a line of versions, and where their levels changed."""

    def __init__(self, history):
        line = _lib.perun_history_line(history)
        #: The versions, the oldest first: dictionaries of checksum, author, date and subject.
        self.versions = [self._version(_lib.perun_version_line_version(line, i).contents)
                         for i in range(_lib.perun_version_line_count(line))]
        #: Dictionaries of command, metric, unit, location, better, values, repeats and changes.
        self.strands = [self._strand(_lib.perun_history_strand(history, i))
                        for i in range(_lib.perun_history_count(history))]

    @staticmethod
    def _version(version):
        return {"checksum": _text(version.checksum), "author": _text(version.author), "date": version.date,
                "subject": (_text(version.description) or "").split("\n", 1)[0]}

    def _strand(self, pointer):
        strand = pointer.contents
        values = [None if value != value else value for value in strand.values[:strand.count]]
        repeats = [strand.repeats[strand.starts[i]:strand.starts[i + 1]] if strand.starts else []
                   for i in range(strand.count)]
        changes = strand.changes.contents if strand.changes else _Segmentation()
        return {"command": _text(strand.command) or "", "metric": _text(strand.metric) or "",
                "unit": _text(strand.unit) or "", "location": _text(strand.location) or "",
                "better": DIRECTIONS[1 + strand.higher], "values": values, "repeats": repeats,
                "changes": [self._change(pointer, changes.points[i]) for i in range(changes.count)]}

    def _change(self, strand, point):
        return {"version": self.versions[point.index]["checksum"], "before": point.before, "after": point.after,
                "low": point.low, "high": point.high, "p": None if point.p != point.p else point.p,
                "result": {OPTIMIZATION: "better", DEGRADATION: "worse"}.get(
                    _lib.perun_strand_result(strand, ctypes.byref(point)))}

    def changes(self):
        """The changes of all strands: dictionaries with what the strand is of."""
        names = ("command", "metric", "unit", "location")
        return [dict({name: strand[name] for name in names}, **change)
                for strand in self.strands for change in strand["changes"]]

    def dataframe(self, repeats=False):
        """A row for each measured version of a strand, or with `repeats` for each run of it."""
        import pandas
        names = ("command", "metric", "unit", "location")
        rows = [[strand[name] for name in names] + [version["checksum"], version["date"], value]
                for strand in self.strands
                for i, version in enumerate(self.versions) if strand["values"][i] is not None
                for value in (strand["repeats"][i] if repeats and strand["repeats"][i] else [strand["values"][i]])]
        frame = pandas.DataFrame(rows, columns=list(names) + ["version", "date", "value"])
        frame["date"] = pandas.to_datetime(frame["date"], unit="s", utc=True)
        return frame
