//! What a row can say.

/// The row holds a word that is none of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEffect;

macro_rules! effects {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$inner])* $variant,)*
        }

        impl std::str::FromStr for $name {
            type Err = $crate::knowledge::effects::UnknownEffect;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err($crate::knowledge::effects::UnknownEffect),
                }
            }
        }
    };
}
pub(super) use effects;

effects! {
    /// What a call returns and does.
    CallEffect {
        /// Adds or scales tensors.
        Arithmetic = "arithmetic",
        /// Records an operation on its tensors.
        Operation = "operation",
        /// Puts tensors side by side.
        Concatenation = "concatenation",
        /// Reduces a tensor, to a number unless a dimension is given.
        Reduction = "reduction",
        /// A loss: one number unless `reduction="none"`.
        Loss = "loss",
        /// Python's reductions over an iterable.
        Sum = "sum",
        /// Values with history and indices without, when a dimension is given.
        ValuesAndIndices = "values-and-indices",
        /// A result without history.
        NoGraph = "no-graph",
        /// A new tensor; asks for gradients only with `requires_grad=True`.
        NewTensor = "new-tensor",
        /// A new tensor of random numbers.
        NewNoise = "new-noise",
        /// A tensor that asks for gradients.
        Leaf = "leaf",
        /// Some text.
        Text = "text",
        /// Numbers to iterate.
        Numbers = "numbers",
        /// Keeps nothing of what it is given; its result has no history.
        Inert = "inert",
        /// Makes an object whose calls and methods are inert.
        InertObject = "inert-object",
        /// May do anything.
        Opaque = "opaque",
        /// Reads back what was saved.
        Loaded = "loaded",
        /// Its first argument.
        Same = "same",
        /// A copy of its first argument.
        Copies = "copies",
        /// Runs the function it is given for every batch, later.
        RunsForEachBatch = "runs-for-each-batch",
        /// Runs a function with the arguments it is given, as another process or thread.
        RunsTarget = "runs-target",
        /// The same, in several processes whose number comes first.
        RunsTargetByRank = "runs-target-by-rank",
        /// The module it is given, wrapped.
        Wraps = "wraps",
        /// A module with trainable parameters.
        Module = "module",
        /// A module with trainable parameters that returns a tensor.
        Layer = "layer",
        /// A module without parameters.
        PlainModule = "plain-module",
        /// A module without parameters that returns a loss.
        LossModule = "loss-module",
        /// A library's pretrained class: what it makes depends on the class's name.
        Pretrained = "pretrained",
        /// The same, with the tokenizer.
        PretrainedPair = "pretrained-pair",
        /// What the environment says, or the default that is given.
        EnvironmentOption = "environment-option",
        /// A path made of its parts.
        Path = "path",
        /// A device, by its name.
        Device = "device",
        /// An optimizer.
        Optimizer = "optimizer",
        /// A gradient scaler.
        Scaler = "scaler",
        /// An object that prepares models and runs backward.
        Accelerator = "accelerator",
        /// An engine with its optimizer, loader and scheduler.
        Engine = "engine",
        /// Runs backward on its first argument.
        Backward = "backward",
        /// A context manager or decorator that turns gradients off.
        GradOff = "grad-off",
        /// The same, unless its argument is false.
        GradOffUnlessFalse = "grad-off-unless-false",
        /// A context manager or decorator that turns gradients on.
        GradOn = "grad-on",
        /// Sets gradients as its argument says, at once and as a context manager.
        GradSwitch = "grad-switch",
        /// Whether gradients are on.
        GradMode = "grad-mode",
        /// A context manager that leaves gradients alone.
        NeutralContext = "neutral-context",
        /// A context manager around code that is meant to fail.
        ExpectsFailure = "expects-failure",
        /// Calls its first argument with the others.
        AppliesFunction = "applies-function",
        /// A function with some arguments given.
        Partial = "partial",
        /// A list of what it is given.
        List = "list",
        /// A dict.
        Dict = "dict",
        /// A parser of command line options.
        OptionParser = "option-parser",
        /// An object with the attributes it is given.
        Namespace = "namespace",
        /// A dict that makes missing items.
        DefaultDict = "defaultdict",
        /// A queue with an optional bound.
        Deque = "deque",
        /// The items of what it is given.
        PassesItems = "passes-items",
        /// One item of what it is given.
        Next = "next",
        /// One of the values it is given, or of the items of the only one.
        Picks = "picks",
        /// The class of a value.
        TypeOf = "type-of",
        /// The result of the function it is given, in the shape of the other argument.
        MapsTree = "maps-tree",
        /// Pairs of number and item.
        Enumerate = "enumerate",
        /// Tuples of items.
        Zip = "zip",
        /// The results of a function over items.
        Map = "map",
        /// Items that a function admits.
        Filter = "filter",
        /// Whether a value has a type.
        IsInstance = "is-instance",
        /// Whether a value is a tensor.
        IsTensor = "is-tensor",
        /// Whether a value has an attribute.
        HasAttribute = "has-attribute",
        /// An attribute by its name.
        GetAttribute = "get-attribute",
        /// Sets an attribute by its name.
        SetAttribute = "set-attribute",
        /// Makes a class of named tuples.
        RecordClass = "record-class",
        /// Makes a tuple.
        Tuple = "tuple",
        /// A field of a dataclass.
        Field = "field",
        /// A decorator: the method is read like an attribute.
        Property = "property",
        /// A decorator that leaves gradients alone.
        NeutralDecorator = "neutral-decorator",
        /// A decorator: the generator is used in `with`.
        ContextManager = "context-manager",
        /// A stack of context managers.
        ExitStack = "exit-stack",
        /// The bases' view of an instance.
        Super = "super",
    }
}

effects! {
    /// What a method of a tensor does.
    MethodEffect {
        /// A Python number.
        Number = "number",
        /// A result without history.
        NoGraph = "no-graph",
        /// The same tensor without history.
        Detached = "detached",
        /// Takes the tensor's own history away.
        DetachedInPlace = "detached-in-place",
        /// Runs backward.
        Backward = "backward",
        /// Asks for gradients.
        Leaf = "leaf",
        /// Nothing of interest.
        Nothing = "nothing",
        /// Text.
        Text = "text",
        /// Adds or scales.
        Arithmetic = "arithmetic",
        /// Adds or scales the tensor itself.
        ArithmeticInPlace = "arithmetic-in-place",
        /// Reduces, to a number unless a dimension is given.
        Reduction = "reduction",
        /// Values with history and indices without, when a dimension is given.
        ValuesAndIndices = "values-and-indices",
        /// The same history.
        Same = "same",
        /// The same history, unless moved to an integer type.
        Moved = "moved",
        /// Names with what stands under them.
        Items = "items",
        /// Parts of something made of tensors.
        Parts = "parts",
        /// The same history on a copy in host memory.
        Host = "host",
    }
}

effects! {
    /// Where the result of an operation lies and how large it is.
    StorageEffect {
        /// It is no tensor.
        None = "none",
        /// In host memory.
        Host = "host",
        /// On a GPU.
        Gpu = "gpu",
        /// On the device that the call names.
        Moved = "moved",
        /// What all processes hold, on the device of each, in the list that it is given.
        Gathered = "gathered",
        /// Embeddings of texts, in host memory unless a tensor is asked for.
        Embeds = "embeds",
        /// A tensor whose shape is given.
        Sized = "sized",
        /// A tensor of the shape of another.
        Like = "like",
        /// A number or two for each item of a batch.
        Small = "small",
        /// One number, or less of it where a dimension is given.
        Reduced = "reduced",
    }
}

effects! {
    /// What an attribute of a tensor is.
    AttributeEffect {
        /// Has no history.
        NoGraph = "no-graph",
        /// The tensor without history.
        Detached = "detached",
        /// One number with history.
        Scalar = "scalar",
        /// Something that only the results of pipelines have, which run without gradients.
        PipelineResult = "pipeline-result",
    }
}

effects! {
    /// What a method of a module does.
    ModuleEffect {
        /// Returns the module.
        Itself = "itself",
        /// Puts it in evaluation mode and returns it.
        Evaluates = "evaluates",
        /// Puts it in training mode, unless told otherwise, and returns it.
        Trains = "trains",
        /// Switches its parameters' gradients and returns it.
        RequiresGrad = "requires-grad",
        /// A forward pass.
        Forward = "forward",
        /// Its parameters.
        Parameters = "parameters",
        /// Its parameters with their names.
        NamedParameters = "named-parameters",
        /// Modules inside it.
        Parts = "parts",
        /// Modules inside it with their names.
        NamedParts = "named-parts",
        /// A result without history.
        NoGraph = "no-graph",
        /// Names its tensors, without history.
        StateDict = "state-dict",
        /// Copies what it is given into its tensors.
        LoadsState = "loads-state",
        /// Runs backward on its argument.
        Backward = "backward",
        /// An optimizer's step.
        Steps = "steps",
        /// Calls a function with what every forward pass returns.
        HooksOutput = "hooks-output",
        /// Calls a function with what every forward pass is given.
        HooksInput = "hooks-input",
        /// A context manager that leaves gradients alone.
        NeutralContext = "neutral-context",
    }
}

effects! {
    /// What a use of a thing says about it.
    Says {
        /// It is a module.
        Module = "module",
        /// It is a module, and something has to do with its parameters.
        Trains = "trains",
        /// It is a module if it is also called.
        ModuleIfCalled = "module-if-called",
        /// It is moved to a device: a tensor, or a module if it also holds state.
        Moves = "moves",
        /// It holds state: a module if it is also called or moved.
        HoldsState = "holds-state",
        /// It clears gradients: a module if it is also called, an optimizer if it also steps.
        Zeroes = "zeroes",
        /// It is an optimizer if it also clears gradients.
        Steps = "steps",
        /// It is a pipeline that runs without gradients, not a module.
        Pipeline = "pipeline",
        /// It collects things.
        Collection = "collection",
    }
}

effects! {
    /// How a framework calls a method.
    HookEffect {
        /// With gradients switched off.
        GradOff = "grad-off",
        /// For every batch, sending the result through backward.
        TrainsOnResult = "trains-on-result",
        /// For every batch.
        EachBatch = "each-batch",
    }
}
