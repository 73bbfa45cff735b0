/** Words that MySQL (8.0 to 9) or MariaDB reserves and PostgreSQL does not. Superfluous quotes do no harm. */
export const RESERVED: readonly string[] = (
  'accessible add alter asensitive before bigint binary blob by call cascade change char character ' +
  'condition continue convert cube cume_dist cursor database databases day_hour day_microsecond day_minute ' +
  'day_second dec decimal declare delayed delete delete_domain_id dense_rank describe deterministic ' +
  'distinctrow div do_domain_ids double drop dual each elseif empty enclosed escaped exists exit explain ' +
  'external first_value float float4 float8 force fulltext function generated get grouping groups ' +
  'high_priority hour_microsecond hour_minute hour_second if ignore ignore_domain_ids index infile inout ' +
  'insensitive insert int int1 int2 int3 int4 int8 integer interval io_after_gtids io_before_gtids iterate ' +
  'json_table key keys kill lag last_value lead leave library linear lines load lock long longblob longtext ' +
  'loop low_priority master_bind master_demote_to_replica master_demote_to_slave ' +
  'master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext middleint ' +
  'minute_microsecond minute_second mod modifies no_write_to_binlog nth_value ntile numeric of optimize ' +
  'optimizer_costs option optionally out outfile over page_checksum parse_vcol_expr partition percent_rank ' +
  'portion precision procedure purge qualify range rank read read_write reads real recursive ref_system_id ' +
  'regexp release rename repeat replace require resignal restrict return revoke rlike row row_number rows ' +
  'schema schemas second_microsecond sensitive separator set show signal smallint spatial specific sql ' +
  'sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl starting ' +
  'stats_auto_recalc stats_persistent stats_sample_pages stored straight_join system tablesample terminated ' +
  'tinyblob tinyint tinytext trigger undo unlock unsigned update usage use utc_date utc_time utc_timestamp ' +
  'values varbinary varchar varcharacter varying virtual while write xor year_month zerofill'
).split(' ');
