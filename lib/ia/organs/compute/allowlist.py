"""What an expression may touch: names of attributes by type, of functions by library. What is not here does not exist.

A name gets in when ordinary research needs it and it neither reads nor writes anything outside the process, nor runs
text as code, nor hands out a module, a frame, a type's internals or raw memory.
"""


def _split_words(names: str) -> frozenset[str]:
    return frozenset(names.split())


_ARITHMETIC = _split_words("""
    add sub mul div truediv floordiv mod pow radd rsub rmul rdiv rtruediv rpow rmod rfloordiv divide multiply
    subtract eq ne lt le gt ge dot
""")
_STATISTICS = _split_words("""
    sum mean median std var sem min max prod product count nunique skew kurt kurtosis quantile mode abs round
    clip cumsum cumprod cummax cummin rank diff pct_change corr cov corrwith autocorr describe idxmax idxmin
    argmax argmin any all first last nlargest nsmallest
""")
_TABLE = (
    _ARITHMETIC
    | _STATISTICS
    | _split_words("""
    index values array dtype dtypes shape size ndim empty name names columns axes T iloc loc iat at head tail
    shift rolling expanding ewm groupby resample asfreq fillna ffill bfill interpolate dropna isna isnull notna
    notnull where mask replace astype copy reindex reindex_like reset_index set_index set_axis rename
    rename_axis sort_values sort_index drop drop_duplicates duplicated isin between map apply agg aggregate
    transform pipe combine_first combine compare update to_list tolist to_numpy to_frame to_dict to_period
    to_timestamp items keys value_counts unique assign join merge stack unstack squeeze get add_prefix
    add_suffix is_unique is_monotonic_increasing is_monotonic_decreasing hasnans first_valid_index
    last_valid_index asof take truncate tz_localize tz_convert dt str cat iterrows itertuples filter melt pivot
    pivot_table select_dtypes equals align convert_dtypes infer_objects explode between_time at_time insert
    swaplevel droplevel xs repeat searchsorted factorize case_when sample transpose item pop nlevels argsort
""")
)
_DATES = _split_words("""
    year month day dayofweek day_of_week weekday dayofyear day_of_year quarter week hour minute second
    microsecond nanosecond date time normalize strftime isocalendar is_month_end is_month_start is_quarter_end
    is_quarter_start is_year_end is_year_start is_leap_year days_in_month daysinmonth to_period to_timestamp
    floor ceil round total_seconds days seconds month_name day_name tz_localize tz_convert tz start_time
    end_time as_unit to_pydatetime
""")
_INDEX = (
    _TABLE
    | _DATES
    | _split_words("""
    to_series get_loc get_indexer get_level_values levels codes union intersection difference
    symmetric_difference append delete freq freqstr inferred_freq slice_indexer get_indexer_for to_flat_index
    contains left right mid length
""")
)
_TEXT_COLUMN = _split_words("""
    upper lower strip lstrip rstrip split rsplit startswith endswith contains replace len slice get cat zfill
    pad title capitalize isdigit isalpha isnumeric find count join extract findall match fullmatch removeprefix
    removesuffix
""")
_WINDOW = _STATISTICS | _split_words("agg aggregate apply transform")
_GROUPS = _WINDOW | _split_words("""
    ngroup cumcount shift size head tail nth rolling expanding ewm resample fillna ffill bfill ohlc groups
    ngroups get_group filter asfreq interpolate indices take sample value_counts pipe unique nearest
""")
_ARRAY = _split_words("""
    shape size ndim dtype T sum mean std var min max argmin argmax cumsum cumprod any all clip round astype copy
    reshape ravel flatten tolist argsort sort transpose item dot nonzero searchsorted take repeat diff squeeze
    prod ptp trace diagonal swapaxes real imag conj
""")
_SCALAR = _split_words("""
    real imag item is_integer conjugate as_integer_ratio bit_length bit_count n isoweekday isoformat timestamp
    value month_end left right mid length overlaps rule_code name freqstr nanos
""")

ATTRIBUTES: tuple[tuple[str, frozenset[str]], ...] = (
    # dotted class, its names; the first class that a value is an instance of decides
    ("pandas.DataFrame", _TABLE),
    ("pandas.Series", _TABLE),
    ("pandas.Index", _INDEX),
    ("pandas.core.indexes.accessors.Properties", _DATES),
    ("pandas.core.strings.accessor.StringMethods", _TEXT_COLUMN),
    ("pandas.core.arrays.categorical.CategoricalAccessor", _split_words("codes categories ordered")),
    ("pandas.api.typing.Rolling", _WINDOW),
    ("pandas.api.typing.Expanding", _WINDOW),
    ("pandas.api.typing.ExponentialMovingWindow", _WINDOW),
    ("pandas.api.typing.Resampler", _GROUPS),
    ("pandas.api.typing.DataFrameGroupBy", _GROUPS),
    ("pandas.api.typing.SeriesGroupBy", _GROUPS),
    (
        "pandas.api.extensions.ExtensionArray",
        _split_words("tolist to_numpy isna codes categories shape size dtype left right"),
    ),
    ("pandas.Timestamp", _DATES | _SCALAR),
    ("pandas.Timedelta", _DATES | _SCALAR),
    ("pandas.Period", _DATES | _SCALAR),
    ("pandas.Interval", _SCALAR),
    ("pandas.tseries.offsets.BaseOffset", _split_words("n name freqstr rule_code rollforward rollback is_on_offset")),
    ("pandas.api.extensions.ExtensionDtype", _split_words("name kind")),
    ("numpy.ndarray", _ARRAY),
    ("numpy.bool_", _ARRAY),
    ("numpy.number", _ARRAY | _SCALAR),
    ("numpy.datetime64", _ARRAY | _SCALAR),
    ("numpy.timedelta64", _ARRAY | _SCALAR),
    ("numpy.ufunc", _split_words("reduce accumulate outer")),
    ("numpy.dtype", _split_words("name kind itemsize")),
    (
        "numpy.random.Generator",
        _split_words("""
    normal uniform integers choice standard_normal random permutation shuffle lognormal exponential standard_t
    binomial poisson
"""),
    ),
    ("datetime.datetime", _DATES | _SCALAR | _split_words("replace")),
    ("datetime.date", _DATES | _SCALAR | _split_words("replace")),
    ("datetime.time", _DATES | _SCALAR),
    ("datetime.timedelta", _DATES | _SCALAR),
    (
        "builtins.str",
        _split_words("""
    upper lower strip lstrip rstrip split rsplit startswith endswith replace join find rfind index count zfill
    title capitalize casefold isdigit isalpha isnumeric isupper islower ljust rjust center splitlines partition
    rpartition removeprefix removesuffix
"""),
    ),
    ("builtins.list", _split_words("append extend insert pop remove index count sort reverse copy clear")),
    ("builtins.dict", _split_words("get keys values items update pop setdefault copy")),
    (
        "builtins.set",
        _split_words("add discard remove union intersection difference symmetric_difference issubset issuperset"),
    ),
    ("builtins.tuple", _split_words("index count")),
    ("builtins.bool", frozenset()),
    ("builtins.int", _SCALAR),
    ("builtins.float", _SCALAR),
    ("builtins.slice", _split_words("start stop step")),
    ("builtins.range", _split_words("start stop step")),
)

# Names that pandas looks up on the data, or on numpy, when it is given a text instead of a function.
REDUCTIONS = (_STATISTICS | _split_words("size shift ffill bfill ohlc nth ngroup cumcount sqrt log exp")) - {
    "mode",
    "corrwith",
}

# Writing to items; everything else is read-only.
WRITABLE = (
    "pandas.DataFrame", "pandas.Series", "builtins.dict", "builtins.list", "numpy.ndarray",
    "pandas.core.indexing._iLocIndexer", "pandas.core.indexing._LocIndexer",
    "pandas.core.indexing._AtIndexer", "pandas.core.indexing._iAtIndexer",
)  # fmt: skip

# Constructors on a class; a class has no other attribute.
CLASS_METHODS = {
    "pandas.DataFrame": _split_words("from_dict from_records"),
    "pandas.MultiIndex": _split_words("from_tuples from_product from_arrays"),
    "pandas.IntervalIndex": _split_words("from_breaks"),
    "builtins.dict": _split_words("fromkeys"),
}

PANDAS = _split_words("""
    Series DataFrame Timestamp Timedelta Period Interval Index DatetimeIndex RangeIndex MultiIndex IntervalIndex
    TimedeltaIndex PeriodIndex CategoricalIndex Categorical CategoricalDtype DateOffset Grouper IndexSlice NA
    NaT concat merge merge_asof merge_ordered to_datetime to_numeric to_timedelta date_range bdate_range
    period_range timedelta_range interval_range isna isnull notna notnull cut qcut factorize unique get_dummies
    melt pivot wide_to_long
""")
OFFSETS = _split_words("""
    BDay BusinessDay Day Week MonthEnd MonthBegin BMonthEnd BMonthBegin QuarterEnd QuarterBegin BQuarterEnd
    YearEnd YearBegin BYearEnd DateOffset Hour Minute
""")
NUMPY = _split_words("""
    nan inf pi e newaxis where select piecewise sign abs absolute fabs sqrt cbrt log log2 log10 log1p exp exp2
    expm1 power float_power square reciprocal maximum minimum fmax fmin mean nanmean median nanmedian std nanstd
    var nanvar sum nansum prod nanprod cumsum nancumsum cumprod nancumprod min max amin amax nanmin nanmax
    argmin argmax nanargmin nanargmax any all isnan isfinite isinf isclose allclose array_equal arange linspace
    logspace geomspace eye identity diag diff ediff1d gradient round around rint floor ceil trunc fix clip
    percentile nanpercentile quantile nanquantile corrcoef cov correlate convolve polyfit polyval polyder
    polyint roots dot vdot inner outer matmul tensordot cross sort argsort lexsort partition argpartition unique
    concatenate stack vstack hstack column_stack dstack split array_split tile repeat roll flip flipud fliplr
    rot90 transpose reshape ravel squeeze expand_dims broadcast_to atleast_1d atleast_2d logical_and logical_or
    logical_not logical_xor greater greater_equal less less_equal equal not_equal add subtract multiply divide
    true_divide floor_divide mod remainder fmod negative positive sin cos tan arcsin arccos arctan arctan2 sinh
    cosh tanh hypot deg2rad rad2deg degrees radians float64 float32 int64 int32 int8 uint8 bool_ datetime64
    timedelta64 average interp digitize searchsorted histogram bincount count_nonzero nonzero flatnonzero
    argwhere extract nan_to_num cumulative_sum trapezoid heaviside isin intersect1d union1d setdiff1d in1d triu
    tril meshgrid ptp busday_count is_busday size shape ndim isscalar isreal asfarray sinc hanning hamming
    blackman bartlett kaiser real imag angle conj copysign signbit zeros_like ones_like full_like append delete
    insert take compress choose delete fromfunction apply_along_axis copy trim_zeros
""")
NUMPY_SIZED = _split_words(
    "array asarray asanyarray zeros ones full empty zeros_like ones_like full_like empty_like ascontiguousarray"
)
LINEAR_ALGEBRA = _split_words(
    "lstsq inv pinv solve norm det eig eigh eigvals eigvalsh svd qr cholesky matrix_rank matrix_power slogdet cond"
)
RANDOM = _split_words(
    "default_rng seed normal uniform choice permutation randn rand randint standard_normal random shuffle lognormal"
)

BUILTINS = _split_words("""
    None False True Ellipsis abs bool chr complex divmod float hex int isinstance len oct ord range round slice
    str list dict tuple set frozenset sum min max any all enumerate zip sorted map filter reversed callable pow
""")
