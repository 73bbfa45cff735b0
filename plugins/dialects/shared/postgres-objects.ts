/** The views and functions of a PostgreSQL database, without those of the server and of extensions. */
export const OBJECTS = `
  SELECT 'CREATE VIEW ' || quote_ident(c.relname) || ' AS ' || pg_get_viewdef(c.oid) AS text FROM pg_class c
    WHERE c.relkind IN ('v', 'm') AND c.oid >= 16384 AND NOT EXISTS (
      SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE p.prokind = 'f' AND p.oid >= 16384 AND p.prorettype <> 'trigger'::regtype AND l.lanname NOT IN ('internal', 'c')
      AND NOT EXISTS (
        SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')`;
