"""Other people's solvers behind one interface: BONMIN and IPOPT (CasADi), SCIP, HiGHS."""
