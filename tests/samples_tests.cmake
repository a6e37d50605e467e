# Tests of monte_carlo's parts.
if(TARGET monte_carlo_parts)
  skua_test(samples_tests LABEL unit
    SOURCES
      unit/black_scholes_test.cpp
      unit/monte_carlo_options_test.cpp
      unit/output_test.cpp
      unit/payoff_test.cpp
      unit/portfolio_plan_test.cpp
      unit/portfolio_test.cpp
      unit/slab_test.cpp
      unit/solve_test.cpp
    LIBRARIES monte_carlo_parts skua::skua)
endif()
