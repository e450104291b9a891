"""The store: a folder of immutable fragments, and what can be asked of it (docs/store.md). Loads no jax."""

from assay.store.lock import Lock as Lock
from assay.store.place import Place as Place
from assay.store.pulse import Status as Status
from assay.store.pulse import request_stop as request_stop
from assay.store.pulse import status as status
from assay.store.read import Store as Store
from assay.store.schema import SCHEMA as SCHEMA
from assay.store.schema import TIMING as TIMING
from assay.store.schema import Row as Row
from assay.store.write import Writer as Writer
from assay.store.write import clean as clean
from assay.store.write import compact as compact
from assay.store.write import prepare as prepare
