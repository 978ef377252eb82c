//! Why nothing that a platform has stands for an operation.

/// An operation that nothing the platform has stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotLegal {
    /// Doubles.
    #[error("double precision, which the platform does not have")]
    Doubles,
    /// Integer division by the math unit.
    #[error("there is no integer division")]
    IntegerDivision,
    /// The same, of quadwords.
    #[error("64-bit integer division")]
    QwordDivision,
    /// Math functions of doubles.
    #[error("the math unit has no doubles")]
    MathOfDoubles,
    /// Operands of a math function that differ in size.
    #[error("operands of different sizes in the math unit")]
    MathSizes,
    /// A source of a math function that cannot be copied to each channel.
    #[error("a source of the math unit that is no register")]
    MathSource,
    /// `pln`, `line`.
    #[error("planes are not evaluated here")]
    Planes,
    /// `dp2`, `dp3`, `dp4`, `dph`.
    #[error("there are no dot products here")]
    DotProducts,
    /// `bfn`.
    #[error("there is no bfn here")]
    Bfn,
    /// `srnd` of other types.
    #[error("stochastic rounding is from :f to :hf and from :hf to :bf8")]
    RoundedTypes,
    /// Random bits of `srnd` of another type.
    #[error("random bits are unsigned integers, or of the type of what is rounded")]
    RandomBits,
    /// Half floats beside bfloat16.
    #[error("half float and bfloat16 in one operation")]
    NarrowFloats,
    /// A product of dwords whose result is tested.
    #[error("a dword product with a condition")]
    TestedProduct,
    /// A factor of which words cannot be taken.
    #[error("a factor whose words cannot be read")]
    FactorWords,
    /// The high half of a product that is saturated or tested.
    #[error("the high half of a product with saturation or condition")]
    ModifiedHighHalf,
    /// The high half of a product of quadwords.
    #[error("the high half of a 64-bit product")]
    QwordHighHalf,
    /// A product of quadwords that is saturated or tested.
    #[error("a 64-bit product with saturation or condition")]
    ModifiedQwordProduct,
    /// A quadword of which dwords cannot be taken.
    #[error("a region of a 64-bit operand")]
    QwordRegion,
    /// An operation on quadwords that saturates.
    #[error("a saturating 64-bit operation")]
    SaturatedQword,
    /// The same, `add3`.
    #[error("a saturating sum of three numbers of 64 bits")]
    SaturatedQwordSum,
    /// A conversion of quadwords to floats that saturates.
    #[error("a saturating conversion of 64 bits to float")]
    SaturatedConversion,
    /// Another operation on quadwords.
    #[error("a 64-bit operation that the platform does not have")]
    QwordOperation,
    /// A region behind addresses that would have to be split.
    #[error("rows behind addresses")]
    AddressedRows,
    /// An operation without a destination.
    #[error("no destination")]
    NoDestination,
    /// An operation on more channels than there may be, which cannot be done by parts.
    #[error("its channels cannot be split")]
    Channels,
    /// A bug: rules that rewrite each other's results.
    #[error("it cannot be rewritten into legal instructions")]
    Endless,
}
