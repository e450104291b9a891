"""The store: a folder of immutable fragments, and what can be asked of it. Loads no jax."""

from assay.store.pulse import Status as Status
from assay.store.pulse import request_stop as request_stop
from assay.store.pulse import status as status
from assay.store.read import Store as Store
