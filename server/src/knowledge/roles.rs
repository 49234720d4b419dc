//! Calls that are noted with their arguments and with what is done to what they make.

use crate::knowledge::effects::effects;

effects! {
    /// What a noted call is for.
    Role {
        /// For nothing of interest: an exception to a wider row.
        Nothing = "nothing",
        /// Loads a model of transformers, or one with its interface.
        Model = "model",
        /// Loads a pipeline of diffusers.
        DiffusionPipeline = "diffusion-pipeline",
        /// Loads one part of a diffusers pipeline.
        DiffusionModel = "diffusion-model",
        /// Loads an embedding model of sentence-transformers.
        SentenceTransformer = "sentence-transformer",
        /// Makes a pipeline of transformers.
        TaskPipeline = "task-pipeline",
        /// Loads an adapter onto a model, or a model by its adapter.
        Adapter = "adapter",
        /// Describes an adapter that learns what stands before every prompt, some of which live in the cache.
        PromptLearning = "prompt-learning",
        /// Builds a vision model by its constructor.
        VisionModel = "vision-model",
        /// Builds a model of timm by its name.
        TimmModel = "timm-model",
        /// Describes a quantization.
        Quantization = "quantization",
        /// Holds the options of a trainer.
        TrainingOptions = "training-options",
        /// Trains a model.
        Trainer = "trainer",
        /// Serves a model: an engine that takes most of the card.
        Engine = "engine",
        /// Changes how PyTorch's allocator works.
        AllocatorCall = "allocator-call",
        /// Runs a command of the shell.
        Shell = "shell",
        /// Reads what was saved: tensors come back to where they lay.
        Checkpoint = "checkpoint",
        /// Reads a whole array from a file: pictures, features.
        ReadsArray = "reads-array",
        /// Reads a whole table: rows of a few numbers each.
        ReadsTable = "reads-table",
        /// Makes a module of layers, or of a class of this file.
        OwnModule = "own-module",
        /// Makes a second copy of what it is given.
        DeepCopy = "deep-copy",
        /// Names the tensors of a module or an optimizer, which it holds.
        StateDict = "state-dict",
        /// Makes this process one of several.
        ProcessGroup = "process-group",
        /// Chooses the GPU of this process.
        ChoosesDevice = "chooses-device",
        /// Trains a model with one process a GPU.
        Distributed = "distributed",
        /// Wraps a model so that several GPUs hold parts of it.
        Sharding = "sharding",
        /// Says how a model is shared among GPUs.
        ShardingOptions = "sharding-options",
        /// Makes what prepares models for several GPUs, if it is told to.
        Preparing = "preparing",
        /// Calls a function again with smaller batches until it fits.
        FindsBatchSize = "finds-batch-size",
        /// Makes what answers requests by functions that its methods are given or decorate.
        WebApp = "web-app",
        /// Runs the whole script again for every event.
        RerunsScript = "reruns-script",
        /// Keeps the results of the function that it decorates.
        Caches = "caches",
        /// Gives cached blocks of memory back to the driver.
        CacheEmptying = "cache-emptying",
        /// Asks whether there is a GPU.
        DeviceQuestion = "device-question",
        /// Splits every batch over the GPUs of one process.
        DataParallel = "data-parallel",
        /// Makes an optimizer that keeps two more values for each parameter.
        AdamOptimizer = "adam-optimizer",
        /// Makes any other optimizer.
        Optimizer = "optimizer",
        /// Describes low-rank adapters.
        AdapterConfig = "adapter-config",
        /// Runs operations in 16 bit where that is safe.
        Autocast = "autocast",
        /// Computes gradients.
        Backward = "backward",
        /// Looks for the operation that made a gradient that is no number.
        AnomalyMode = "anomaly-mode",
        /// Records every allocation of memory.
        MemoryHistory = "memory-history",
        /// Writes down what was recorded of the memory.
        MemorySnapshot = "memory-snapshot",
        /// Records the operations that run.
        Profiler = "profiler",
        /// Clears gradients.
        ZeroGrad = "zero-grad",
        /// Generates a sequence, token by token.
        Generation = "generation",
        /// Runs a model with an option that only models take.
        ModelRun = "model-run",
        /// Reads the exception that is being handled.
        ExceptionReport = "exception-report",
    }
}

impl Role {
    /// Whether what such a call makes takes memory by itself.
    pub fn takes_memory(self) -> bool {
        self.makes_weights()
            || matches!(
                self,
                Self::Engine | Self::Checkpoint | Self::OwnModule | Self::DeepCopy | Self::StateDict
            )
    }

    /// Whether such a call makes or loads the weights of a model.
    pub fn makes_weights(self) -> bool {
        matches!(
            self,
            Self::Model
                | Self::DiffusionPipeline
                | Self::DiffusionModel
                | Self::SentenceTransformer
                | Self::TaskPipeline
                | Self::VisionModel
                | Self::TimmModel
        )
    }

    /// Whether what such a call makes keeps what the call is given.
    pub fn keeps_what_it_is_given(self) -> bool {
        matches!(
            self,
            Self::DiffusionPipeline | Self::TaskPipeline | Self::Trainer | Self::StateDict | Self::OwnModule
        )
    }
}

effects! {
    /// What a call does to the process.
    ProcessEffect {
        /// Initialises CUDA, and with it the allocator.
        InitializesCuda = "initializes-cuda",
        /// Starts another process with the environment as it is.
        StartsProcess = "starts-process",
        /// Sets an environment variable.
        SetsVariable = "sets-variable",
        /// Sets an environment variable unless it is set.
        SetsUnsetVariable = "sets-unset-variable",
        /// Sets several environment variables.
        SetsVariables = "sets-variables",
    }
}
