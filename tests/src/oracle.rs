//! Intel's own tools as referees.
