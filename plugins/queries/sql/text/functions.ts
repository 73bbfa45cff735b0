/** Built-in functions of PostgreSQL and MySQL that access no tables. Others may access any. */
const toNameSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const PER_ROW = toNameSet(
  `
abs acos acosd acosh age array array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
array_positions array_prepend array_remove array_replace array_to_json array_to_string array_upper ascii asin asind asinh atan atan2
atand atanh bit bit_count bit_length box btrim bytea cardinality cast cbrt ceil ceiling char char_length character character_length chr
circle clock_timestamp coalesce concat concat_ws convert convert_from convert_to cos cosd cosh cot crypt current_database
current_date current_schema current_setting current_time current_timestamp current_user currval date date_add date_bin date_format
date_part date_sub date_trunc datediff daterange dayofmonth dayofweek dayofyear decimal decode degrees digest div encode exp extract
factorial float floor format format_type from_unixtime gcd gen_random_bytes gen_random_uuid gen_salt get_bit get_byte greatest hmac host
hour if ifnull initcap inet instr int int4range int8range integer interval isempty isfinite isnull json_array json_array_append
json_array_length json_build_array json_build_object json_contains json_extract json_extract_path json_extract_path_text json_length
json_object json_populate_record json_quote json_remove json_replace json_scalar json_set json_strip_nulls json_type json_typeof
json_unquote json_valid jsonb jsonb_array_length jsonb_build_array jsonb_build_object jsonb_extract_path jsonb_extract_path_text
jsonb_insert jsonb_object jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query_array
jsonb_path_query_first jsonb_populate_record jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_typeof justify_days
justify_hours justify_interval lastval lcase lcm least left length levenshtein ln localtime localtimestamp localtimestamp locate log log10
log2 lower lower_inc lower_inf lpad ltrim make_date make_interval make_time make_timestamp make_timestamptz md5 microsecond mid
min_scale minute mod month monthname multirange netmask network normalize now nullif num_nonnulls num_nulls numeric numnode numrange
octet_length ord overlay parse_ident phraseto_tsquery pi plainto_tsquery point position pow power quarter querytree quote quote_ident
quote_literal quote_nullable radians rand random range_merge real regexp_count regexp_instr regexp_like regexp_match regexp_replace
regexp_split_to_array regexp_substr repeat replace reverse right round row row_to_json rpad rtrim scale second set_bit set_byte
setweight sha1 sha2 sha224 sha256 sha384 sha512 sign similarity sin sind sinh soundex space split_part sqrt starts_with
statement_timestamp str_to_date strict_word_similarity string_to_array strip strpos strcmp substr substring sysdate tan tand tanh text
time timediff timeofday timestamp timestampadd timestampdiff timestamptz to_ascii to_char to_date to_hex to_json to_jsonb to_number
to_timestamp to_tsquery to_tsvector transaction_timestamp translate trim trim_array trim_scale trunc truncate ts_delete ts_filter ts_headline
ts_lexize ts_rank ts_rank_cd ts_rewrite tsmultirange tsquery_phrase tsrange tstzmultirange tstzrange tsvector_to_array ucase unaccent unhex
unistr unix_timestamp upper upper_inc upper_inf utc_date utc_time utc_timestamp uuid uuid_generate_v1 uuid_generate_v1mc
uuid_generate_v3 uuid_generate_v4 uuid_generate_v5 uuid_nil uuidv4 uuidv7 values varbit varchar version websearch_to_tsquery week weekday
width_bucket word_similarity xpath xpath_exists year yearweek`.trim(),
);

/** Aggregate, set-returning and window functions. */
const OTHER = toNameSet(
  `
any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist dense_rank every first_value
generate_series generate_subscripts group_concat grouping json_agg json_array_elements json_array_elements_text json_arrayagg json_each
json_each_text json_object_agg json_object_keys json_objectagg json_populate_recordset json_table json_to_record json_to_recordset
jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_agg jsonb_object_keys jsonb_path_query
jsonb_path_query_tz jsonb_populate_recordset jsonb_to_record jsonb_to_recordset lag last_value lead max min mode nth_value ntile
percent_rank percentile_cont percentile_disc range_agg range_intersect_agg rank regexp_matches regexp_split_to_table regr_avgx regr_avgy
regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number std stddev stddev_pop stddev_samp string_agg
string_to_table sum unnest var_pop var_samp variance xmlagg`.trim(),
);

/** Functions with effects outside tables: sequences, settings, locks, notifications and delays. */
const OUTSIDE = toNameSet(
  `
nextval setval setseed set_config last_insert_id get_lock release_lock pg_notify pg_sleep sleep pg_advisory_lock pg_advisory_lock_shared
pg_advisory_unlock pg_advisory_unlock_all pg_advisory_unlock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared
pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared`.trim(),
);

export const isPerRow = (name: string): boolean => PER_ROW.has(name);

/** `unknown` functions may read and write tables. */
export const getReach = (name: string): 'none' | 'outside' | 'unknown' =>
  PER_ROW.has(name) || OTHER.has(name) ? 'none' : OUTSIDE.has(name) ? 'outside' : 'unknown';
