"""The parts of ``benches/run.py``. Standard library only."""
