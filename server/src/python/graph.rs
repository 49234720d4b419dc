//! The autograd graph of a program, abstractly: one node for each place that records an operation.
//!
//! A node stands for every tensor that its place ever makes in one calling context. Edges lead from a
//! result to the tensors its backward would visit. An edge that reaches back into an earlier iteration
//! of a loop is *carried* by that loop: a cycle over it is a graph that grows with every iteration.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// A loop in one calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

/// The iterations that are under way at some moment: the open loops, outermost first, each with the
/// number of the pass over its body.
pub type Moment = Rc<[(LoopId, u32)]>;

/// Nodes a value reaches directly. Sorted, without duplicates.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NodeSet(SmallVec<[NodeId; 2]>);

/// Every value that is copied copies one: in one go, not node by node.
impl Clone for NodeSet {
    fn clone(&self) -> Self {
        Self(SmallVec::from_slice(&self.0))
    }
}

/// What a node records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A forward pass through trainable parameters.
    Forward,
    /// A tensor that asks for gradients itself.
    Leaf,
    /// A parameter of a module, which asks for gradients by its nature.
    Parameter,
    /// Arithmetic that adds.
    Arithmetic,
    /// A sum or mean over a tensor.
    Reduction,
    /// Arithmetic that multiplies or divides.
    Scaling,
    /// Tensors put side by side in a new one.
    Concatenation,
    /// Any other operation on tensors.
    Operation,
    /// A call of something unknown that was given, or may have made, a graph.
    Call,
}

/// One place that records an operation, in one calling context.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it records.
    pub kind: NodeKind,
    /// Whether the text shows that a graph is recorded here; otherwise it depends on the parents.
    pub certain: bool,
    /// The tensors that went into it.
    pub parents: NodeSet,
    /// Parents from an earlier iteration, and the loop that carries them over.
    pub carried: SmallVec<[(NodeId, LoopId); 1]>,
    /// Whether the result is a single number.
    pub scalar: bool,
    /// Whether the result lies in host memory.
    pub host: bool,
    /// Whether it only passes on what it is given and saves nothing for backward: a part, a copy.
    pub passes: bool,
    /// When it was last made.
    pub moment: Moment,
    /// The step at which it was last made; later is larger.
    pub clock: u32,
    /// Whether it was handed to code that we do not see.
    pub escapes: bool,
    /// Whether code that we do not see gets it as a result, to go on with.
    pub returned: bool,
    /// Whether the program took a result without history from it.
    pub consumed: bool,
    /// Whether it was only shown: printed, logged or formatted.
    pub shown: bool,
}

/// Where a node is made: a place in the text and a calling context.
pub type Site = (u32, u32);

/// All nodes of a program.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    ids: FxHashMap<Site, NodeId>,
}

/// Sets of up to this many nodes are added one by one.
const FEW: usize = 4;

impl NodeKind {
    /// Whether it stands for a tensor without history, at which gradients end up.
    pub fn is_leaf(self) -> bool {
        matches!(self, Self::Leaf | Self::Parameter)
    }
}

impl NodeId {
    /// The site of a part of this node's result. No expression or statement has a number this large.
    pub fn part_site(self, part: u32) -> Site {
        (u32::MAX - self.0, part)
    }
}

impl NodeSet {
    /// The set of one node.
    pub fn one(node: NodeId) -> Self {
        Self(SmallVec::from_slice(&[node]))
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The nodes, in order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.0.iter().copied()
    }

    /// Whether `node` is in the set.
    pub fn contains(&self, node: NodeId) -> bool {
        self.0.binary_search(&node).is_ok()
    }

    /// Adds a node.
    pub fn insert(&mut self, node: NodeId) {
        if let Err(place) = self.0.binary_search(&node) {
            self.0.insert(place, node);
        }
    }

    /// Adds all nodes of `other`.
    pub fn extend(&mut self, other: &NodeSet) {
        if other.0.len() <= FEW {
            other.iter().for_each(|node| self.insert(node));
        } else if self != other {
            // Two sorted runs: a stable sort merges them in one go.
            self.0.extend_from_slice(&other.0);
            self.0.sort();
            self.0.dedup();
        }
    }

    /// The nodes of both sets.
    #[must_use]
    pub fn union(&self, other: &NodeSet) -> NodeSet {
        let mut union = self.clone();
        union.extend(other);
        union
    }
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        let mut set = NodeSet(nodes.into_iter().collect());
        set.0.sort_unstable();
        set.0.dedup();
        set
    }
}

/// What is known about an operation when it is recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What it records.
    pub kind: NodeKind,
    /// Whether a graph is recorded whatever the parents are.
    pub certain: bool,
    /// The tensors that went into it.
    pub parents: NodeSet,
    /// Whether the result is a single number.
    pub scalar: bool,
}

impl Graph {
    /// The node `id` names.
    #[allow(clippy::indexing_slicing, reason = "ids are only made by the graph that owns the node")]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The node `id` names, to be changed.
    #[allow(clippy::indexing_slicing, reason = "ids are only made by the graph that owns the node")]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// All nodes.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// Records an operation at `site`. A site that was recorded before keeps its node, which gains the
    /// new parents; parents of an earlier iteration are noted as carried.
    pub fn record(&mut self, site: Site, recorded: Recorded, moment: &Moment, clock: u32) -> NodeId {
        let carried: SmallVec<[(NodeId, LoopId); 1]> = recorded
            .parents
            .iter()
            .filter_map(|parent| Some((parent, carrier(&self.node(parent).moment, moment)?)))
            .collect();
        let Some(&id) = self.ids.get(&site) else {
            let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
            self.ids.insert(site, id);
            self.nodes.push(Node {
                kind: recorded.kind,
                certain: recorded.certain,
                parents: recorded.parents,
                carried,
                scalar: recorded.scalar,
                host: false,
                passes: false,
                moment: moment.clone(),
                clock,
                escapes: false,
                returned: false,
                consumed: false,
                shown: false,
            });
            return id;
        };
        let node = self.node_mut(id);
        node.parents.extend(&recorded.parents);
        node.certain |= recorded.certain;
        node.scalar |= recorded.scalar;
        for edge in carried {
            if !node.carried.contains(&edge) {
                node.carried.push(edge);
            }
        }
        node.moment = moment.clone();
        node.clock = clock;
        id
    }

    /// Everything that a backward from `roots` visits without passing through `barrier`.
    pub fn reach(&self, roots: &NodeSet, barrier: Option<NodeId>) -> FxHashSet<NodeId> {
        let mut seen = FxHashSet::default();
        let mut pending: Vec<NodeId> = roots.iter().filter(|root| Some(*root) != barrier).collect();
        while let Some(node) = pending.pop() {
            if seen.insert(node) {
                pending.extend(self.node(node).parents.iter().filter(|parent| Some(*parent) != barrier));
            }
        }
        seen
    }
}

/// The loop that carries something made at `then` over to `now`: the outermost loop open at both moments
/// whose pass differs.
pub fn carrier(then: &Moment, now: &Moment) -> Option<LoopId> {
    let (before, after) = then.iter().zip(now.iter()).find(|(before, after)| before != after)?;
    (before.0 == after.0).then_some(after.0)
}

/// The loops open at `now` that something made at `then` outlives, outermost first.
pub fn outlived(then: &Moment, now: &Moment) -> SmallVec<[LoopId; 2]> {
    let shared = then.iter().zip(now.iter()).take_while(|(before, after)| before == after).count();
    now.iter().skip(shared).map(|(id, _)| *id).collect()
}
