//! Fluid models and linear analysis, against published figures.
mod fluid;
mod stability;
