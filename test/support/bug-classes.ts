/**
 * The classes of bugs that were seen in products of this kind, with the advisories that name them: each has a test that runs the attack,
 * and carries its numbers in its title. Numbers and titles are those of the design (`reliability.md`, section 7).
 */

interface BugClass {
  readonly title: string;
  readonly ids: readonly string[];
}

export const BUG_CLASSES: Readonly<Record<number, BugClass>> = {
  1: { title: 'A JSON body impersonates a parsed upload', ids: ['CVE-2026-21858'] },
  2: {
    title: 'Expressions evaluated as code',
    ids: ['CVE-2025-68613', 'CVE-2026-1470', 'CVE-2026-25049', 'CVE-2026-27577', 'CVE-2026-27702', 'CVE-2023-22621'],
  },
  3: {
    title: 'SQL text built from values, identifiers or casts',
    ids: [
      'CVE-2026-31840',
      'CVE-2026-31856',
      'CVE-2026-31871',
      'CVE-2024-27298',
      'CVE-2024-39309',
      'CVE-2026-54310',
      'CVE-2026-56351',
      'CVE-2026-33713',
      'CVE-2026-110840',
      'CVE-2026-30951',
      'CVE-2026-32763',
      'CVE-2016-20018',
    ],
  },
  4: {
    title: 'Object parameters change SQL meaning',
    ids: ['CVE-2024-21508', 'CVE-2024-21511', 'CVE-2024-21512', 'CVE-2024-21507'],
  },
  5: {
    title: 'NoSQL operators from clients',
    ids: ['CVE-2026-54350', 'CVE-2026-73617', 'CVE-2026-30941', 'CVE-2024-53900', 'CVE-2025-23061'],
  },
  6: {
    title: 'Prototype chains: pollution and inherited lookups',
    ids: [
      'CVE-2026-32878',
      'CVE-2026-30938',
      'CVE-2026-34532',
      'CVE-2024-29027',
      'CVE-2025-13465',
      'CVE-2026-2950',
      'CVE-2024-21529',
      'CVE-2026-19481',
      'CVE-2026-21710',
    ],
  },
  7: {
    title: 'Fail-open verification',
    ids: ['CVE-2026-21894', 'CVE-2026-86080', 'CVE-2026-31816', 'CVE-2024-54151', 'CVE-2024-39701'],
  },
  8: { title: 'Side effect before the check', ids: ['CVE-2025-55746'] },
  9: {
    title: 'JWT algorithm confusion',
    ids: [
      'CVE-2023-48223',
      'CVE-2026-34950',
      'CVE-2026-107722',
      'CVE-2026-107724',
      'CVE-2026-22818',
      'CVE-2026-44699',
      'CVE-2026-57997',
      'CVE-2023-22893',
    ],
  },
  10: {
    title: 'SSRF',
    ids: [
      'CVE-2026-35409',
      'CVE-2026-61835',
      'CVE-2026-24767',
      'CVE-2026-53931',
      'CVE-2026-82246',
      'CVE-2023-42282',
      'CVE-2024-29415',
      'CVE-2026-54272',
      'CVE-2026-69192',
      'CVE-2025-27152',
      'CVE-2025-62718',
      'CVE-2026-44492',
      'GHSA-jp9j-jr97-w9pj',
    ],
  },
  11: {
    title: 'Credentials sent elsewhere',
    ids: ['CVE-2026-44486', 'CVE-2026-56348', 'CVE-2026-73407', 'CVE-2026-48931'],
  },
  12: {
    title: 'Path traversal and storage keys',
    ids: ['CVE-2026-30240', 'CVE-2026-72850', 'GHSA-2238-xc5r-v9hj', 'CVE-2026-129861'],
  },
  13: {
    title: 'Upload type confusion, stored script',
    ids: ['CVE-2026-30948', 'CVE-2026-24769', 'CVE-2026-126269', 'CVE-2026-25737', 'CVE-2025-46653'],
  },
  14: {
    title: 'Multipart parser crashes and leaks',
    ids: [
      'CVE-2025-47935',
      'CVE-2025-47944',
      'CVE-2025-48997',
      'CVE-2025-7338',
      'CVE-2026-2359',
      'CVE-2026-3304',
      'CVE-2026-3520',
      'CVE-2026-77078',
      'CVE-2026-19484',
      'CVE-2026-74866',
    ],
  },
  15: { title: 'Image bombs in `dominant_color`', ids: ['CVE-2025-71329', 'CVE-2026-114113'] },
  16: {
    title: 'Unbounded depth or recursion',
    ids: ['CVE-2026-32944', 'CVE-2026-3520', 'CVE-2026-67321', 'CVE-2025-59466'],
  },
  17: {
    title: 'Amplification, missing or dodgeable limits',
    ids: ['CVE-2026-35441', 'CVE-2025-30225', 'CVE-2025-64526'],
  },
  18: {
    title: 'Secrets in logs, history, errors, jobs',
    ids: [
      'GHSA-vw58-ph65-6rxp',
      'GHSA-x3vm-88hf-gpxp',
      'CVE-2026-39943',
      'CVE-2023-28443',
      'GHSA-vrv8-j27g-g7cr',
      'CVE-2026-48615',
      'CVE-2026-123871',
    ],
  },
  19: {
    title: 'Returning more than asked',
    ids: ['CVE-2026-31872', 'CVE-2026-53725', 'CVE-2024-56143', 'CVE-2023-22894', 'CVE-2023-36472'],
  },
  20: { title: 'Existence oracles', ids: ['CVE-2025-64749'] },
  21: { title: 'Trusting request metadata', ids: ['CVE-2026-27959', 'CVE-2025-25200'] },
  22: {
    title: 'Cache serves another user',
    ids: ['CVE-2025-54425', 'CVE-2026-9678', 'CVE-2024-45596', 'CVE-2024-21507'],
  },
  23: {
    title: 'WebSocket handshake and hijack',
    ids: ['CVE-2024-37890', 'CVE-2021-32640', 'CVE-2026-44211', 'CVE-2025-56647', 'CVE-2026-112085', 'CVE-2024-54151'],
  },
  24: { title: 'Shared mutable state between requests', ids: ['CVE-2026-32242'] },
  25: {
    title: 'Weak or broken id generation',
    ids: ['CVE-2024-55565', 'CVE-2026-73086', 'CVE-2026-67213', 'CVE-2025-7783'],
  },
  26: { title: 'Length and format checks that miscount', ids: ['CVE-2025-12758', 'CVE-2025-56200'] },
  27: {
    title: 'Token life cycle',
    ids: ['GHSA-x4vh-j75g-268g', 'CVE-2026-32742', 'CVE-2026-30965', 'CVE-2026-125758'],
  },
  28: { title: 'Mass assignment / pre-hijack', ids: ['CVE-2026-32742', 'CVE-2026-44166'] },
};

/** A test of one class. */
export function testBugClass(number: number, attack: () => Promise<void>): void {
  const { title = '', ids = [] } = BUG_CLASSES[number] ?? {};
  it(`${number}. ${title} (${ids.join(', ')})`, attack);
}
