/**
 * Definitions of a fictional community application as authors of another system with the interface would write them:
 * their own style, arbitrary file names, long PostgreSQL statements. Models and plain requests. Data only.
 */
import type { Files } from './project.js';

const text = (max_length: number, more: object = {}) => ({ type: 'String', max_length, ...more });
const key = { id: text(40, { primary_key: true }) };
const times = { created_at: { type: 'DateTime' }, updated_at: { type: 'DateTime', optional: true } };
const defineRule = (name: string, type = 'STRING', more: object = {}) => ({ field: { [name]: { type } }, ...more });
export const tokenize = (more: object = {}) => ({
  type: 'JWT',
  algorithm: 'HS256',
  expiration: 86400,
  encryption_key: '$ENV.JWT_SECRET_KEY',
  ...more,
});
export const guarded = {
  tokenize: tokenize(),
  protected: { provide_as: 'Authorization', extract_claims: ['id', 'handle'] },
};
export const defineSqlQuery = (query: string, parameters: readonly unknown[] = [], more: object = {}) => ({
  mode: 'QUERY',
  sql_query: { query, parameters, ...more },
});
export const defineDependency = (action: number, pairs: Readonly<Record<string, string>>, resource_id = 'self') => ({
  resource_id,
  action_ids: [action],
  extract_response_for: Object.entries(pairs).map(([extract, name]) => ({ extract, for: name })),
});
export const defineCircleResource = (path: string, actionables: readonly object[], more: object = {}) => ({
  id: `${path.replaceAll('/', '-')}-01`,
  resource: path,
  actionables: actionables.map((one, index) => ({ id: index + 1, ...one })),
  ...more,
});

export const MODELS: Files = {
  'definitions/models/_member.json': {
    ...key,
    email: text(255, { indexable: true }),
    handle: text(40, { indexable: true }),
    password: text(255),
    karma: { type: 'Number' },
    tags: { type: 'JSON_ARRAY', property_type: 'String' },
    profile: { type: 'JSON_OBJECT', properties: { city: { type: 'String' }, links: { type: 'JSON_OBJECT' } } },
    phone: text(400, { optional: true }),
    ...times,
    deleted_at: { type: 'DateTime', optional: true },
  },
  'definitions/models/_circle.json': {
    ...key,
    name: text(80, { fts: true }),
    owner_id: { type: 'String', foreign_key: { of: '_member', key: 'id' } },
    settings: { type: 'JSON_OBJECT' },
    member_count: { type: 'Number' },
    is_open: { type: 'Boolean' },
    ...times,
  },
  'definitions/models/_membership.json': {
    ...key,
    circle_id: { type: 'String', foreign_key: { of: 'circle', key: 'id' } },
    member_id: { type: 'String', foreign_key: { of: 'members', key: 'id' } },
    role: text(20),
    muted: { type: 'Boolean' },
    created_at: { type: 'DateTime' },
  },
  'definitions/models/_activity.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    circle_id: text(40, { indexable: true }),
    member_id: text(40, { optional: true }),
    kind: text(20),
    text: text(500),
    weight: { type: 'Float', optional: true },
    pinned: { type: 'Boolean', optional: true },
    details: { type: 'JSON_OBJECT', optional: true },
    created_at: { type: 'DateTime' },
  },
  'definitions/models/_archived_activity.json': {
    id: { type: 'Number', primary_key: true },
    circle_id: text(40),
    text: text(500),
    archived_at: { type: 'DateTime' },
  },
};

const created = 'INSERT INTO members (id, email, handle, password, karma, tags, profile, created_at)';

/** Reading and writing with everything that PostgreSQL has. */
export const REQUESTS: Files = {
  'definitions/1.json': defineCircleResource(
    'sign-up',
    [
      {
        ...defineSqlQuery(
          `${created} VALUES ($1, $2, $3::character varying(40), $4, $5, $6::jsonb, $7::jsonb, $8::timestamp with time zone)`,
          ['$GENERATOR.ULID', 'email', 'handle', 'password', 0, 'tags', '{"city":"","links":{}}', '$DATETIME'],
          { unique: ['email', 'handle'] },
        ),
        payload_validation: [
          defineRule('email', 'EMAIL', { max_length: 255 }),
          defineRule('handle', 'STRING', { min_length: 2, max_length: 40 }),
          defineRule('password', 'STRING', { min_length: 8, max_length: 64 }),
          { field: { tags: { type: 'STRINGARRAY', arr_length: 5, items_min_length: 1, items_max_length: 20 } } },
        ],
        hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4, salt: '$ENV.SALT' } }],
      },
    ],
    {
      tokenize: tokenize({ custom_claim_fields: ['id', 'handle'], property_name: 'session' }),
      returnables: ['id', 'handle', 'karma', 'session'],
    },
  ),
  'definitions/auth/final_v2.json': defineCircleResource(
    'sign-in',
    [
      {
        ...defineSqlQuery(
          'SELECT id, handle, password FROM members WHERE lower(email) = lower($1) AND deleted_at IS NULL;',
          ['email'],
        ),
        payload_validation: [defineRule('email', 'EMAIL'), defineRule('password', 'STRING', { min_length: 8 })],
        verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
      },
    ],
    {
      tokenize: tokenize({ custom_claim_fields: ['id', 'handle'], property_name: 'session' }),
      returnables: ['id', 'session'],
    },
  ),
  // Two actionables depend on one INSERT, one of them before it; texts and numbers are literals among the parameters.
  'definitions/misc/untitled.json': defineCircleResource(
    'circle/create',
    [
      {
        ...defineSqlQuery(
          'INSERT INTO memberships (id, circle_id, member_id, role, muted, created_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id, role, muted',
          ['$GENERATOR.CUID2', 'circle', '$PROTECTED.id', 'owner', false, '$DATETIME'],
        ),
        depends_on: [defineDependency(3, { id: 'circle' })],
      },
      {
        ...defineSqlQuery(
          'INSERT INTO activities (circle_id, member_id, kind, text, weight, pinned, details, created_at) VALUES ($1, $2, $3, $4, $5::double precision, $6, $7::jsonb, $8) RETURNING *',
          ['circle', '$PROTECTED.id', 'new', 'joined the circle', 1.5, true, null, '$DATETIME'],
        ),
        depends_on: [defineDependency(3, { id: 'circle' })],
      },
      {
        ...defineSqlQuery(
          'INSERT INTO circles (id, name, owner_id, settings, member_count, is_open, created_at) VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7) RETURNING *',
          ['$GENERATOR.KSUID', 'name', '$PROTECTED.id', 'settings', 1, 'is_open', '$DATETIME'],
        ),
        payload_validation: [
          defineRule('name', 'STRING', { min_length: 1, max_length: 80 }),
          defineRule('settings', 'OBJECT'),
        ],
        main_returnable: true,
        returnables: ['id', 'name', 'owner_id', 'settings', 'member_count', 'is_open', 'created_at'],
      },
    ],
    guarded,
  ),
  // A statement that writes three tables and reads them.
  'definitions/circles/a.json': defineCircleResource(
    'circle/join',
    [
      defineSqlQuery(
        `WITH joined AS (
           INSERT INTO memberships (id, circle_id, member_id, role, muted, created_at)
           SELECT $1, c.id, $2, 'member', false, $3::timestamptz FROM circles c WHERE c.id = $4 AND c.is_open
             AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.circle_id = c.id AND m.member_id = $2)
           RETURNING id, circle_id, member_id
         ), counted AS (
           UPDATE circles SET member_count = member_count + (SELECT count(*) FROM joined), updated_at = $3::timestamptz
           WHERE id IN (SELECT circle_id FROM joined) RETURNING id, member_count
         ), noted AS (
           INSERT INTO activities (circle_id, member_id, kind, text, created_at)
           SELECT circle_id, member_id, 'join', $5 || ' joined', $3::timestamptz FROM joined RETURNING id
         )
         SELECT joined.id, counted.member_count::int, (SELECT count(*) FROM noted)::int AS noted
         FROM joined JOIN counted ON counted.id = joined.circle_id`,
        ['$GENERATOR.UUID', '$PROTECTED.id', '$DATETIME', 'circle_id', '$PROTECTED.handle'],
      ),
    ],
    guarded,
  ),
  'definitions/circles/b.json': defineCircleResource('circle/archive', [
    defineSqlQuery(
      `WITH moved AS (DELETE FROM activities WHERE circle_id = $1 AND kind = ANY($2::text[]) RETURNING id, circle_id, text)
       INSERT INTO archived_activities (id, circle_id, text, archived_at)
       SELECT id, circle_id, text, $3::timestamptz FROM moved RETURNING id, text`,
      ['$PAYLOAD.circle_id', '$PAYLOAD.kinds', '$DATETIME'],
    ),
  ]),
  'definitions/circles/numbers.json': defineCircleResource('circle/numbers', [
    defineSqlQuery(
      `-- what the page of a circle shows; it's long
       SELECT c.id, c.name,
         COUNT(a.*) FILTER (WHERE a.kind = 'join')::int AS joins,
         COUNT(a.*) FILTER (WHERE a.pinned)::int AS pinned,
         COALESCE(SUM(a.weight) FILTER (WHERE a.weight > 1), 0)::double precision AS weight,
         jsonb_agg(jsonb_build_object('text', a.text, 'kind', a.kind) ORDER BY a.id) AS feed,
         string_agg(DISTINCT a.kind, ', ' ORDER BY a.kind) AS kinds, array_agg(a.kind ORDER BY a.id) AS list,
         (c.settings #>> '{theme,color}')::character varying(20) AS color,
         c.settings @> '{"public": true}'::jsonb AS public, avg(a.weight)::numeric(10,2)::text AS average
       FROM circles c LEFT JOIN activities a ON a.circle_id = c.id WHERE c.id = $1 GROUP BY c.id /* the key */`,
      ['circle_id'],
    ),
  ]),
  'definitions/circles/settings.json': defineCircleResource('circle/settings', [
    defineSqlQuery(
      `UPDATE circles SET settings = jsonb_set(settings - 'draft', ARRAY['theme', $2::text], to_jsonb($3::text), true) || $4::jsonb
       WHERE id = $1 AND settings ? 'theme' AND NOT settings ?& ARRAY['locked', 'closed'] AND (settings ?| $5::text[] OR $6)
       RETURNING settings, settings::jsonb::text AS written, settings->'theme'->>$2 AS chosen`,
      ['$PAYLOAD.circle_id', '$PAYLOAD.name', '$PAYLOAD.value', '$PAYLOAD.more', '$PAYLOAD.any_of', true],
    ),
  ]),
  'definitions/people/find.json': defineCircleResource('people', [
    {
      ...defineSqlQuery(
        `SELECT handle, tags, jsonb_array_length(tags) AS many, profile->>'city' AS city, row_number() OVER (ORDER BY handle)::int AS place
         FROM members WHERE ($1::text IS NULL OR handle ILIKE '%' || $1 || '%') AND (tags ?| $2::text[] OR $2 IS NULL)
         ORDER BY handle LIMIT COALESCE($3::int, 10) OFFSET COALESCE($4::int, 0)`,
        ['like', 'tags', 'limit', 'offset'],
      ),
      payload_validation: [
        defineRule('like', 'STRING', { min_length: 1, max_length: 40 }),
        defineRule('limit', 'NUMBER'),
        defineRule('offset', 'NUMBER'),
      ],
      bypass_payload_validation: true,
    },
  ]),
  'definitions/people/_README.json': defineCircleResource(
    'profile/update',
    [
      defineSqlQuery(
        `UPDATE members SET profile = profile || $2::jsonb, handle = COALESCE($3::character varying(40), handle), updated_at = $4::timestamp with time zone
         WHERE id = $1 RETURNING id, handle, profile, updated_at::timestamptz::text AS at`,
        ['$PROTECTED.id', '$PAYLOAD.profile', '$PAYLOAD.handle', '$DATETIME'],
      ),
    ],
    guarded,
  ),
  'definitions/people/gone.json': defineCircleResource(
    'leave',
    [
      {
        ...defineSqlQuery("DELETE FROM members WHERE id = $1 AND handle <> 'admin'", ['$PROTECTED.id'], {
          soft_delete: true,
          with_timestamps: true,
        }),
      },
    ],
    guarded,
  ),
  'definitions/reports/week.json': defineCircleResource('report/days', [
    defineSqlQuery(
      `WITH RECURSIVE days(day) AS (
         SELECT $1::timestamp with time zone UNION ALL SELECT day + interval '1 day' FROM days WHERE day < $2::timestamptz
       ) SELECT to_char(day AT TIME ZONE $3, 'YYYY-MM-DD') AS day, extract(epoch FROM day)::bigint AS epoch,
         CASE WHEN extract(isodow FROM day) IN (6, 7) THEN 'weekend' ELSE E'week\\'s day' END AS sort, $tag$ it's $1 $tag$ AS said
       FROM days ORDER BY 1 DESC`,
      ['$PAYLOAD.from', '$PAYLOAD.to', { literal: 'UTC' }],
    ),
  ]),
  'definitions/reports/values.json': defineCircleResource('report/values', [
    defineSqlQuery(
      `SELECT $1::int + $2::int AS sum, $3::boolean AS yes, $4::text AS nothing, $5::double precision AS half, $6::text AS word, $7 AS plain,
         ($8::jsonb)->>'a' AS inside, $9::text[] AS list, ($10 || ' days')::interval::text AS span, $11::numeric(6,2)::float8 AS money`,
      [1, 2, true, null, 0.5, 'two words', 'a/b', { a: 'x' }, ['p', 'q'], '$PAYLOAD.days', '12.345'],
    ),
  ]),
};
