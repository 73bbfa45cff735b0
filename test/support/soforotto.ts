/**
 * A real application of another system with the interface, as its authors wrote it: the path of its files, its
 * environment, and initial rows. Nothing of it is part of this repository; suites skip if it is not available.
 */
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import { ROOT } from './project.js';
import { createJsonBehaviour, startStandIn, type StandIn } from './upstream.js';

const SOURCE = join(ROOT, '..', 'shared', 'compat', 'soforotto');

export const isAtHand = existsSync(SOURCE);

/** Byte for byte, into `definitions/` of a project. */
export const copyApplication = async (folder: string): Promise<void> => {
  for (const part of ['apis', 'models']) {
    await cp(join(SOURCE, part), join(folder, 'definitions', part), { recursive: true });
  }
};

export const ENV = {
  JWT_SECRET_KEY: 'k3-Jd92-mmQ8-x0a1-92jd-Kw81-0aJ2',
  ANTHROPIC_API_KEY: 'canary-of-the-remote-key',
  LOWKEY_AI_SYSTEM_PROMPT: 'Listen.',
};

/** The response of the service that its chat calls; the service is called by its own name, and replaced. */
export const REMOTE = 'api.anthropic.com';
export const REPLY = [{ type: 'text', text: 'I hear you.' }];
export const startRemoteStandIn = (): Promise<StandIn> =>
  startStandIn(
    [REMOTE],
    createJsonBehaviour({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: REPLY,
      usage: { output_tokens: 5 },
    }),
  );

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' };

/** Not drawn: a salt may begin with capitals, and `$` before a word in capitals is an accessor wherever definitions have text. */
const SALT = '$2b$04$abcdefghijklmnopqrstuu';

/** An administrator, and notes 1 to 6 of one week, of which the even ones are approved. */
export const createSeeds = (): readonly string[] => [
  `INSERT INTO _admin (id, email, password, created_at)
   VALUES ('admin-1', '${ADMIN.email}', '${bcrypt.hashSync(ADMIN.password, SALT)}', now())`,
  `INSERT INTO _inquiry (id, name, email, services, message, status, wall_status, reactions, created_at, updated_at)
   SELECT 'note-' || i, 'Ada', 'ada@example.com', '["listening"]'::jsonb, 'I feel number ' || i || ' and lonely', 'new',
          CASE WHEN i % 2 = 0 THEN 'approved' ELSE 'pending' END, '{"same":0,"strength":0,"not_alone":2}'::jsonb,
          '2026-01-05T10:00:00Z'::timestamptz + i * interval '1 minute', now()
   FROM generate_series(1, 6) AS i`,
];
