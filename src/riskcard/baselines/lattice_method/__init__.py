"""RiskSLIM: whole points by branch and bound on tangents of the loss, on HiGHS or SCIP."""
