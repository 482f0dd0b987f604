"""Other people's solvers behind one door: BONMIN and IPOPT (CasADi), SCIP, HiGHS."""
