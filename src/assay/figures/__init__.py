"""Display objects: they take a tidy table, check its columns, and draw it; they compute nothing.

times = SolveTimes(survival.summary(runs, ["task.n", "task.k"]), x="task.n", line="task.k")
times.plot()                                # a matplotlib Figure; notebooks show the object itself
times.save("out", "solve-times")            # png, svg, pdf, the table as csv and parquet, the caption as md
"""

from assay.figures.bars import Bars as Bars
from assay.figures.board import Board as Board
from assay.figures.board import board as board
from assay.figures.boxes import Boxes as Boxes
from assay.figures.curves import TrainingCurves as TrainingCurves
from assay.figures.display import Display as Display
from assay.figures.grid import CurveGrid as CurveGrid
from assay.figures.heatmap import HeatTable as HeatTable
from assay.figures.histogram import Histogram as Histogram
from assay.figures.lines import Lines as Lines
from assay.figures.maps import AttentionLinks as AttentionLinks
from assay.figures.maps import AttentionMaps as AttentionMaps
from assay.figures.panels import PanelDisplay as PanelDisplay
from assay.figures.progress import ProgressMeasure as ProgressMeasure
from assay.figures.spectrum import Spectrum as Spectrum
from assay.figures.stages import StageCurves as StageCurves
from assay.figures.style import house_style as house_style
from assay.figures.survival import SurvivalCurves as SurvivalCurves
from assay.figures.times import SolveTimes as SolveTimes
from assay.figures.twin import TwinCurves as TwinCurves
from assay.figures.weights import WeightTrajectories as WeightTrajectories
