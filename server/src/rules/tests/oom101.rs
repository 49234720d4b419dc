//! Running totals that keep the graph of every step.

mod fixes;
mod inputs;
mod mechanisms;
mod silent;
mod targets;
