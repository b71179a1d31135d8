import { SchemaNewer } from '../errors.ts'
import type { SqliteDatabase } from './driver.ts'
import { transactions } from './writer.ts'

/** The steps of the schema, oldest first. After each step, the version of Assent before it must still work. */
export const sqliteMigrations: readonly string[] = [
  `
  CREATE TABLE elicitation (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    requester TEXT NOT NULL,
    participant TEXT NOT NULL,
    type TEXT,
    identity TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    settled_at INTEGER,
    settled INTEGER,
    answered_by TEXT,
    sealed_key TEXT,
    question TEXT NOT NULL,
    outcome TEXT
  );
  CREATE UNIQUE INDEX elicitation_identity ON elicitation (identity) WHERE state = 'open';
  CREATE INDEX elicitation_open ON elicitation (requester, expires_at) WHERE state = 'open';
  CREATE UNIQUE INDEX elicitation_settled ON elicitation (settled) WHERE settled IS NOT NULL;
  CREATE INDEX elicitation_latest ON elicitation (participant, type, settled) WHERE state = 'answered' AND type IS NOT NULL;
  CREATE INDEX elicitation_sealed ON elicitation (sealed_key) WHERE sealed_key IS NOT NULL;

  -- The answerers of open questions.
  CREATE TABLE waiting (answerer TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (answerer, seq)) WITHOUT ROWID;
  CREATE TRIGGER elicitation_asked AFTER INSERT ON elicitation BEGIN
    INSERT OR IGNORE INTO waiting SELECT value, new.seq FROM json_each(new.question, '$.answerers.anyOf');
  END;
  CREATE TRIGGER elicitation_closed AFTER UPDATE OF state ON elicitation WHEN old.state = 'open' BEGIN
    DELETE FROM waiting
    WHERE seq = old.seq AND answerer IN (SELECT value FROM json_each(old.question, '$.answerers.anyOf'));
  END;
  CREATE TRIGGER elicitation_deleted AFTER DELETE ON elicitation WHEN old.state = 'open' BEGIN
    DELETE FROM waiting
    WHERE seq = old.seq AND answerer IN (SELECT value FROM json_each(old.question, '$.answerers.anyOf'));
  END;

  CREATE TABLE audit_event (
    chain TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    who TEXT,
    about TEXT,
    data TEXT NOT NULL,
    kept TEXT,
    kept_digest TEXT,
    prev TEXT NOT NULL,
    mac TEXT NOT NULL,
    PRIMARY KEY (chain, seq)
  ) WITHOUT ROWID;
  CREATE INDEX audit_kept ON audit_event (who) WHERE kept IS NOT NULL;
  CREATE TABLE audit_anchor (
    chain TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    mac TEXT NOT NULL,
    anchor_mac TEXT NOT NULL,
    since INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE pseudonym (participant TEXT PRIMARY KEY, pseudonym TEXT NOT NULL UNIQUE) WITHOUT ROWID;
  CREATE TABLE audit_key (only INTEGER PRIMARY KEY CHECK (only = 1), sealed_key TEXT NOT NULL, box TEXT NOT NULL);

  CREATE TABLE step (
    walk TEXT NOT NULL,
    name TEXT NOT NULL,
    until_at INTEGER NOT NULL,
    sealed_key TEXT,
    box TEXT,
    PRIMARY KEY (walk, name)
  );
  CREATE INDEX step_until ON step (until_at);
  CREATE INDEX step_sealed ON step (sealed_key) WHERE sealed_key IS NOT NULL;

  CREATE TABLE browser (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE,
    participant TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    details TEXT NOT NULL
  );
  CREATE INDEX browser_participant ON browser (participant);
  CREATE INDEX browser_expires ON browser (expires_at);

  CREATE TABLE connection (
    participant TEXT NOT NULL,
    provider TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    sealed_key TEXT NOT NULL,
    box TEXT NOT NULL,
    details TEXT NOT NULL,
    PRIMARY KEY (participant, provider)
  );
  CREATE INDEX connection_sealed ON connection (sealed_key);

  CREATE TABLE flow (
    id TEXT PRIMARY KEY,
    participant TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    sealed_key TEXT NOT NULL,
    box TEXT NOT NULL,
    details TEXT NOT NULL
  );
  CREATE INDEX flow_expires ON flow (expires_at);

  CREATE TABLE "grant" (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    uses TEXT NOT NULL,
    participant TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT,
    requester TEXT,
    call TEXT,
    spent_at INTEGER,
    revoked_at INTEGER,
    expires_at INTEGER,
    over_at INTEGER,
    granted_by TEXT NOT NULL,
    revoked_by TEXT,
    terms TEXT NOT NULL
  );
  CREATE INDEX grant_for ON "grant" (participant, server, tool) WHERE requester IS NULL AND revoked_at IS NULL;
  CREATE INDEX grant_once ON "grant" (requester, call) WHERE spent_at IS NULL AND revoked_at IS NULL AND requester IS NOT NULL;
  CREATE INDEX grant_list ON "grant" (participant, seq) WHERE uses = 'many';
  CREATE INDEX grant_over ON "grant" (over_at) WHERE over_at IS NOT NULL;
  `,
  `
  CREATE INDEX elicitation_open_for ON elicitation (participant) WHERE state = 'open';
  `,
  `
  CREATE TABLE passkey (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    credential TEXT NOT NULL UNIQUE,
    participant TEXT NOT NULL,
    version INTEGER NOT NULL,
    details TEXT NOT NULL
  );
  CREATE INDEX passkey_participant ON passkey (participant);
  `,
  `
  CREATE TABLE hub_envelope (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    space TEXT NOT NULL,
    sender TEXT NOT NULL,
    id TEXT NOT NULL,
    recipients TEXT NOT NULL,
    at INTEGER NOT NULL,
    digest TEXT NOT NULL,
    text TEXT NOT NULL,
    state TEXT NOT NULL,
    open TEXT,
    UNIQUE (space, sender, id)
  );
  CREATE INDEX hub_envelope_order ON hub_envelope (space, seq);
  CREATE INDEX hub_envelope_open ON hub_envelope (space, seq) WHERE open IS NOT NULL;
  CREATE TABLE hub_received (
    space TEXT NOT NULL,
    participant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (space, participant)
  ) WITHOUT ROWID;
  `,
  `
  ALTER TABLE elicitation ADD COLUMN urgency INTEGER NOT NULL DEFAULT 2;
  ALTER TABLE elicitation ADD COLUMN escalates_at INTEGER;
  ALTER TABLE elicitation ADD COLUMN voting TEXT;
  CREATE INDEX elicitation_escalates ON elicitation (escalates_at) WHERE escalates_at IS NOT NULL;

  -- A question that stays open keeps its answerers, and gets more.
  CREATE INDEX waiting_seq ON waiting (seq);
  DROP TRIGGER elicitation_closed;
  CREATE TRIGGER elicitation_closed AFTER UPDATE OF state ON elicitation WHEN old.state = 'open' AND new.state <> 'open' BEGIN
    DELETE FROM waiting WHERE seq = old.seq;
  END;
  DROP TRIGGER elicitation_deleted;
  CREATE TRIGGER elicitation_deleted AFTER DELETE ON elicitation WHEN old.state = 'open' BEGIN
    DELETE FROM waiting WHERE seq = old.seq;
  END;
  `,
  `
  CREATE TABLE instance (
    id TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    ahead_ms INTEGER NOT NULL,
    stopping INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE mail (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    recipient TEXT NOT NULL,
    at INTEGER NOT NULL,
    sealed_key TEXT NOT NULL,
    box TEXT NOT NULL
  );
  CREATE INDEX mail_recipient ON mail (recipient, seq);
  CREATE TABLE session (
    session TEXT PRIMARY KEY,
    revoked INTEGER NOT NULL,
    level TEXT,
    stream TEXT,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX session_expires ON session (expires_at);
  `,
  `
  CREATE TABLE rollup (
    period TEXT NOT NULL,
    kind TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    server TEXT NOT NULL,
    name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (period, kind, from_at, server, name, outcome)
  ) WITHOUT ROWID;
  `,
  `
  CREATE INDEX elicitation_due ON elicitation (expires_at, seq) WHERE state = 'open';
  CREATE INDEX elicitation_settled_at ON elicitation (settled_at) WHERE settled_at IS NOT NULL;
  `,
  `
  CREATE TABLE registration (
    issuer TEXT NOT NULL,
    resource TEXT NOT NULL,
    client_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    sealed_key TEXT NOT NULL,
    box TEXT NOT NULL,
    details TEXT NOT NULL,
    PRIMARY KEY (issuer, resource)
  ) WITHOUT ROWID;
  CREATE TABLE definition (
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    version INTEGER NOT NULL,
    details TEXT NOT NULL,
    PRIMARY KEY (server, tool)
  );
  `,
  `
  CREATE TABLE holding (
    holding TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    sealed_key TEXT,
    box TEXT,
    version INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX holding_expires ON holding (expires_at);
  `,
  `
  CREATE TABLE usage (
    id TEXT PRIMARY KEY,
    used INTEGER NOT NULL,
    until_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX usage_until ON usage (until_at);
  `,
  `
  CREATE TABLE owned (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    participant TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    details TEXT NOT NULL,
    UNIQUE (kind, id),
    UNIQUE (kind, key)
  );
  CREATE INDEX owned_participant ON owned (participant, kind);
  CREATE INDEX owned_expires ON owned (kind, expires_at);
  `,
  `
  DROP INDEX elicitation_open_for;
  CREATE INDEX elicitation_of ON elicitation (participant, state);
  CREATE INDEX elicitation_answered ON elicitation (answered_by) WHERE answered_by <> participant;
  CREATE INDEX elicitation_voted ON elicitation (seq) WHERE voting IS NOT NULL;
  CREATE INDEX grant_of ON "grant" (participant);
  CREATE INDEX grant_given ON "grant" (granted_by) WHERE granted_by <> participant;
  CREATE INDEX grant_revoked ON "grant" (revoked_by) WHERE revoked_by <> participant;
  `,
]

/** Migrates the file to our schema, one process at a time. Throws if the file has a newer schema. */
export function migrateSqlite(database: SqliteDatabase): void {
  if (versionOf(database) === sqliteMigrations.length) return
  transactions(database)(() => {
    const found = versionOf(database)
    if (found > sqliteMigrations.length) throw new SchemaNewer(found, sqliteMigrations.length)
    for (const step of sqliteMigrations.slice(found)) database.exec(step)
    database.exec(`PRAGMA user_version = ${sqliteMigrations.length}`)
  })
}

function versionOf(database: SqliteDatabase): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version)
}
