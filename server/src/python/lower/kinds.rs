//! The parser's node kinds and fields, as small enums instead of its numbers and names.

use tree_sitter::Language;

macro_rules! named {
    ($(#[$doc:meta])* $enum:ident, $default:ident, $($variant:ident = $name:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $enum {
            $default,
            $($variant),*
        }

        impl $enum {
            fn from_name(name: &str) -> Self {
                match name {
                    $($name => Self::$variant,)*
                    _ => Self::$default,
                }
            }
        }
    };
}

named! {
    /// What a node of the parser's tree is, as far as lowering looks at it.
    Kind, Other,
    AliasedImport = "aliased_import", ArgumentList = "argument_list", AsPattern = "as_pattern",
    AsPatternTarget = "as_pattern_target", Assert = "assert_statement", Assignment = "assignment",
    Attribute = "attribute", AugmentedAssignment = "augmented_assignment", Await = "await",
    BinaryOperator = "binary_operator", Block = "block", BooleanOperator = "boolean_operator",
    Break = "break_statement", Call = "call", CaseClause = "case_clause", CasePattern = "case_pattern",
    Chevron = "chevron", Class = "class_definition", ClassPattern = "class_pattern", Comment = "comment",
    Comparison = "comparison_operator", ConcatenatedString = "concatenated_string",
    Conditional = "conditional_expression", Continue = "continue_statement",
    Decorated = "decorated_definition", Decorator = "decorator", DefaultParameter = "default_parameter",
    Delete = "delete_statement", DictPattern = "dict_pattern", Dictionary = "dictionary",
    DictionaryComprehension = "dictionary_comprehension", DictionarySplat = "dictionary_splat",
    DictionarySplatPattern = "dictionary_splat_pattern", DottedName = "dotted_name", ElifClause = "elif_clause",
    Ellipsis = "ellipsis", ElseClause = "else_clause", Error = "ERROR", ExceptClause = "except_clause",
    Exec = "exec_statement", ExpressionList = "expression_list", ExpressionStatement = "expression_statement",
    False = "false", FinallyClause = "finally_clause", Float = "float", ForInClause = "for_in_clause",
    For = "for_statement", FormatExpression = "format_expression", FormatSpecifier = "format_specifier",
    Function = "function_definition", FutureImport = "future_import_statement",
    GeneratorExpression = "generator_expression", GenericType = "generic_type", Global = "global_statement",
    Identifier = "identifier", IfClause = "if_clause", If = "if_statement", ImportFrom = "import_from_statement",
    ImportPrefix = "import_prefix", Import = "import_statement", Integer = "integer",
    Interpolation = "interpolation", KeywordArgument = "keyword_argument", KeywordPattern = "keyword_pattern",
    KeywordSeparator = "keyword_separator", Lambda = "lambda", LambdaParameters = "lambda_parameters",
    List = "list", ListComprehension = "list_comprehension", ListPattern = "list_pattern",
    ListSplat = "list_splat", ListSplatPattern = "list_splat_pattern", Match = "match_statement",
    MemberType = "member_type", Module = "module", NamedExpression = "named_expression", None = "none",
    Nonlocal = "nonlocal_statement", NotOperator = "not_operator", Pair = "pair", Parameters = "parameters",
    Parenthesized = "parenthesized_expression", ParenthesizedSplat = "parenthesized_list_splat",
    Pass = "pass_statement", PatternList = "pattern_list", PositionalSeparator = "positional_separator",
    Print = "print_statement", Raise = "raise_statement", RelativeImport = "relative_import",
    Return = "return_statement", Set = "set", SetComprehension = "set_comprehension", Slice = "slice",
    SplatPattern = "splat_pattern", String = "string", StringContent = "string_content",
    StringStart = "string_start", Subscript = "subscript", True = "true", Try = "try_statement",
    Tuple = "tuple", TuplePattern = "tuple_pattern", Type = "type", TypeAlias = "type_alias_statement",
    TypeParameter = "type_parameter", TypedDefaultParameter = "typed_default_parameter",
    TypedParameter = "typed_parameter", UnaryOperator = "unary_operator", UnionType = "union_type",
    While = "while_statement", WildcardImport = "wildcard_import", WithClause = "with_clause",
    WithItem = "with_item", With = "with_statement", Yield = "yield",
    // Tokens, which have a name of their own here because some are spelled like a node.
    Async = "'async'", Colon = "':'", Comma = "','", From = "'from'", IsNot = "'is not'", NotIn = "'not in'",
    Token = "''",
}

named! {
    /// The role of a node in its parent.
    Field, Absent,
    Alias = "alias", Alternative = "alternative", Annotation = "type", Arguments = "arguments",
    Argument = "argument", Attribute = "attribute", Body = "body", Cause = "cause", Condition = "condition",
    Consequence = "consequence", Definition = "definition", Expression = "expression",
    FormatSpecifier = "format_specifier", Function = "function", Guard = "guard", Key = "key", Left = "left",
    ModuleName = "module_name", Name = "name", Object = "object", Operator = "operator",
    Operators = "operators", Parameters = "parameters", Right = "right", Subject = "subject",
    Subscript = "subscript", Superclasses = "superclasses", Value = "value",
}

/// The enums behind the parser's numbers.
pub(super) struct Vocabulary {
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

impl Vocabulary {
    /// The vocabulary of the Python grammar that `language` is.
    pub(super) fn new(language: &Language) -> Self {
        let kinds = (0..language.node_kind_count())
            .map(|id| {
                let id = u16::try_from(id).unwrap_or(u16::MAX);
                let name = language.node_kind_for_id(id).unwrap_or("");
                if language.node_kind_is_named(id) { Kind::from_name(name) } else { Kind::token(name) }
            })
            .collect();
        let fields = (0..=language.field_count())
            .map(|id| {
                let name = u16::try_from(id).ok().and_then(|id| language.field_name_for_id(id));
                name.map_or(Field::Absent, Field::from_name)
            })
            .collect();
        Self { kinds, fields }
    }

    /// The kind with the parser's number `id`.
    pub(super) fn kind(&self, id: u16) -> Kind {
        self.kinds.get(usize::from(id)).copied().unwrap_or(Kind::Error)
    }

    /// The field with the parser's number `id`.
    pub(super) fn field(&self, id: u16) -> Field {
        self.fields.get(usize::from(id)).copied().unwrap_or(Field::Absent)
    }
}

impl Kind {
    fn token(name: &str) -> Self {
        match Self::from_name(&format!("'{name}'")) {
            Self::Other => Self::Token,
            kind => kind,
        }
    }

    /// Whether it is a statement.
    pub(super) fn is_statement(self) -> bool {
        matches!(
            self,
            Self::Assert
                | Self::Break
                | Self::Class
                | Self::Continue
                | Self::Decorated
                | Self::Delete
                | Self::Exec
                | Self::ExpressionStatement
                | Self::For
                | Self::Function
                | Self::FutureImport
                | Self::Global
                | Self::If
                | Self::ImportFrom
                | Self::Import
                | Self::Match
                | Self::Nonlocal
                | Self::Pass
                | Self::Print
                | Self::Raise
                | Self::Return
                | Self::Try
                | Self::TypeAlias
                | Self::While
                | Self::With
        )
    }

    /// Whether it lowers to an expression: expressions, assignment targets and types.
    pub(super) fn is_expression(self) -> bool {
        matches!(
            self,
            Self::AsPattern
                | Self::AsPatternTarget
                | Self::Attribute
                | Self::Await
                | Self::BinaryOperator
                | Self::BooleanOperator
                | Self::Call
                | Self::Comparison
                | Self::ConcatenatedString
                | Self::Conditional
                | Self::Dictionary
                | Self::DictionaryComprehension
                | Self::DictionarySplat
                | Self::Ellipsis
                | Self::ExpressionList
                | Self::False
                | Self::Float
                | Self::GeneratorExpression
                | Self::GenericType
                | Self::Identifier
                | Self::Integer
                | Self::Lambda
                | Self::List
                | Self::ListComprehension
                | Self::ListPattern
                | Self::ListSplat
                | Self::ListSplatPattern
                | Self::MemberType
                | Self::NamedExpression
                | Self::None
                | Self::NotOperator
                | Self::Parenthesized
                | Self::ParenthesizedSplat
                | Self::PatternList
                | Self::Set
                | Self::SetComprehension
                | Self::Slice
                | Self::String
                | Self::Subscript
                | Self::True
                | Self::Tuple
                | Self::TuplePattern
                | Self::Type
                | Self::UnaryOperator
                | Self::UnionType
                | Self::Yield
        )
    }

    /// Whether what is under it is of no interest: tokens and names, and the content of strings, which
    /// is read from the text.
    pub(super) fn is_leaf(self) -> bool {
        matches!(
            self,
            Self::Async
                | Self::Colon
                | Self::Comma
                | Self::Comment
                | Self::From
                | Self::Identifier
                | Self::IsNot
                | Self::NotIn
                | Self::StringContent
                | Self::StringStart
                | Self::Token
        )
    }

    /// Whether lowering looks at the fields of its children.
    pub(super) fn has_fields(self) -> bool {
        !matches!(
            self,
            Self::ArgumentList
                | Self::Module
                | Self::Block
                | Self::ExpressionStatement
                | Self::List
                | Self::Tuple
                | Self::Set
                | Self::Dictionary
                | Self::ExpressionList
                | Self::PatternList
                | Self::TuplePattern
                | Self::Parenthesized
                | Self::String
                | Self::ConcatenatedString
                | Self::Parameters
                | Self::Return
                | Self::Slice
                | Self::Conditional
                | Self::Comparison
                | Self::DottedName
        )
    }
}
