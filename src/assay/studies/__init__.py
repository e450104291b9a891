"""Studies: the papers' experiments and claims, a package a paper."""

from assay.studies.base import Experiment as Experiment
from assay.studies.base import Study as Study
from assay.studies.base import all_studies as all_studies
from assay.studies.base import find_study as find_study
from assay.studies.claims import Claim as Claim
from assay.studies.claims import Judgement as Judgement
from assay.studies.claims import Verdict as Verdict
