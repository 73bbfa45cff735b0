-- Definitions may not truncate tables; a function of the project may. Without it, every measurement would leave dead rows.
CREATE FUNCTION bench_reset() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE _account, _wallet RESTART IDENTITY;
  INSERT INTO _account (owner, email, balance, created_at)
    SELECT 'Owner ' || n, 'owner' || n || '@example.com', n + 0.25,
           timestamptz '2026-01-02 03:04:05.678+00' + n * interval '1 minute'
    FROM generate_series(1, 1000) AS n;
  INSERT INTO _wallet (id, balance) SELECT n, 1000000 FROM generate_series(1, 1000) AS n;
  ANALYZE _account, _wallet;
END $$;
