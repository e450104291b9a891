"""Sweeps: axes, plans, and running them into a store."""

from assay.store import Status as Status
from assay.store import request_stop as request_stop
from assay.store import status as status
from assay.sweep.axes import Axis as Axis
from assay.sweep.axes import axis as axis
from assay.sweep.axes import linspaced as linspaced
from assay.sweep.axes import logspaced as logspaced
from assay.sweep.axes import product as product
from assay.sweep.axes import seeds as seeds
from assay.sweep.axes import union as union
from assay.sweep.axes import zipped as zipped
from assay.sweep.estimate import Estimate as Estimate
from assay.sweep.executors import Processes as Processes
from assay.sweep.grid import Sweep as Sweep
from assay.sweep.launch import run as run
from assay.sweep.level import Level as Level
from assay.sweep.level import LevelSearch as LevelSearch
from assay.sweep.level import outcomes_of as outcomes_of
from assay.sweep.pack import Pack as Pack
from assay.sweep.plan import GUARD as GUARD
from assay.sweep.plan import Plan as Plan
from assay.sweep.plan import make_plan as make_plan
from assay.sweep.plan import read_plan as read_plan
from assay.sweep.runs import Runs as Runs
