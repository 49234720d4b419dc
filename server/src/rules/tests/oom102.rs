//! Collections that keep the graph of every item.

mod fixes;
mod mechanisms;
mod silent;
mod targets;
