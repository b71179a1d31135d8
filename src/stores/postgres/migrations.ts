import type { Client } from 'pg'
import { SchemaNewer } from '../errors.ts'
import { asStoreError } from './errors.ts'

/** One step of the schema. It never changes once released, and must leave a schema that the previous version can use. */
export interface Migration {
  readonly version: number
  readonly sql: string
}

/** All steps, oldest first. */
export const postgresMigrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
      create sequence assent_settling;

      create table assent_elicitation (
        seq bigserial primary key,
        id text not null unique,
        version integer not null,
        state text not null,
        requester text not null,
        participant text not null,
        type text,
        identity text not null,
        expires_at bigint not null,
        settled_at bigint,
        settled bigint,
        answered_by text,
        sealed_key text,
        question text not null,
        outcome text
      );
      -- Each index expresses "open" by its own condition, and its query by the same one. If two indexes fitted one
      -- query, a plan made while the table was small could scan the whole of the wrong one.
      create unique index assent_elicitation_identity on assent_elicitation (identity) where state = 'open';
      create index assent_elicitation_requester on assent_elicitation (requester) where settled_at is null;
      create index assent_elicitation_due on assent_elicitation (expires_at, seq) where settled is null;
      create index assent_elicitation_answered on assent_elicitation (participant, type, settled)
        where state = 'answered';
      create index assent_elicitation_settled_at on assent_elicitation (settled_at);
      create index assent_elicitation_sealed_key on assent_elicitation (sealed_key) where sealed_key is not null;

      create table assent_waiting (
        answerer text not null,
        seq bigint not null references assent_elicitation on delete cascade,
        primary key (answerer, seq)
      );
      create index assent_waiting_seq on assent_waiting (seq);

      create function assent_add(
        in_id text, in_version integer, in_state text, in_requester text, in_participant text, in_type text,
        in_identity text, in_expires_at bigint, in_question text, in_answerers text[], in_open_limit bigint
      ) returns table (added boolean, kept assent_elicitation) language plpgsql as $$
      begin
        -- Serialises the questions of one requester: two at once could both pass the limit.
        perform pg_advisory_xact_lock(hashtextextended('assent requester ' || in_requester, 0));
        loop
          added := false;
          select * into kept from assent_elicitation where identity = in_identity and state = 'open';
          if found then return next; return; end if;

          if (select count(*) from assent_elicitation where requester = in_requester and settled_at is null)
            >= in_open_limit then return; end if;

          added := true;
          insert into assent_elicitation
            (id, version, state, requester, participant, type, identity, expires_at, question)
            values (in_id, in_version, in_state, in_requester, in_participant, in_type, in_identity,
              in_expires_at, in_question)
            on conflict (identity) where state = 'open' do nothing
            returning * into kept;
          if found then
            insert into assent_waiting (answerer, seq) select distinct unnest(in_answerers), kept.seq;
            return next;
            return;
          end if;
        end loop;
      end $$;

      create table assent_audit_event (
        chain text not null,
        seq bigint not null,
        at bigint not null,
        kind text not null,
        who text,
        about text,
        data text not null,
        kept text,
        kept_digest text,
        prev text not null,
        mac text not null,
        wrote bigserial,
        primary key (chain, seq)
      );
      create index assent_audit_event_kept on assent_audit_event (who) where kept is not null;

      create table assent_audit_anchor (
        chain text primary key,
        seq bigint not null,
        mac text not null,
        anchor_mac text not null,
        began bigint not null
      );

      create table assent_pseudonym (
        participant text primary key,
        pseudonym text not null
      );

      create table assent_audit_key (
        single boolean primary key default true check (single),
        key text not null,
        box text not null
      );

      create table assent_step (
        walk text not null,
        name text not null,
        until_at bigint not null,
        sealed_key text,
        box text,
        primary key (walk, name)
      );
      create index assent_step_until on assent_step (until_at);
      create index assent_step_sealed_key on assent_step (sealed_key) where sealed_key is not null;

      create table assent_browser (
        seq bigserial primary key,
        id text not null unique,
        key text not null unique,
        participant text not null,
        expires_at bigint not null,
        details text not null
      );
      create index assent_browser_participant on assent_browser (participant);
      create index assent_browser_expires on assent_browser (expires_at);

      create table assent_connection (
        participant text not null,
        provider text not null,
        id text not null,
        version integer not null,
        sealed_key text not null,
        box text not null,
        details text not null,
        primary key (participant, provider)
      );
      create index assent_connection_sealed_key on assent_connection (sealed_key);

      create table assent_flow (
        id text primary key,
        participant text not null,
        expires_at bigint not null,
        sealed_key text not null,
        box text not null,
        details text not null
      );
      create index assent_flow_expires on assent_flow (expires_at);

      create table assent_grant (
        seq bigserial primary key,
        id text not null unique,
        version integer not null,
        uses text not null,
        participant text not null,
        server text not null,
        tool text,
        requester text,
        call text,
        spent_at bigint,
        revoked_at bigint,
        expires_at bigint,
        over_at bigint,
        granted_by text not null,
        revoked_by text,
        terms text not null
      );
      create index assent_grant_for on assent_grant (participant, server, tool)
        where requester is null and revoked_at is null;
      create index assent_grant_once on assent_grant (requester, call)
        where requester is not null and spent_at is null and revoked_at is null;
      create index assent_grant_list on assent_grant (participant, seq) where uses = 'many';
      create index assent_grant_over on assent_grant (over_at) where over_at is not null;
    `,
  },
  {
    version: 2,
    sql: `
      -- As above: no other index fits a query with this condition.
      create index assent_elicitation_participant on assent_elicitation (participant) where state || '' = 'open';

      -- Beside assent_add, which processes of the version before call.
      create function assent_add_within(
        in_id text, in_version integer, in_state text, in_requester text, in_participant text, in_type text,
        in_identity text, in_expires_at bigint, in_question text, in_answerers text[],
        in_requester_limit bigint, in_participant_limit bigint
      ) returns table (added boolean, full_of text, kept assent_elicitation) language plpgsql as $$
      begin
        -- Serialises the questions of one participant: two at once could both pass the limit.
        perform pg_advisory_xact_lock(hashtextextended('assent participant ' || in_participant, 0));
        loop
          added := false;
          select * into kept from assent_elicitation where identity = in_identity and state = 'open';
          if found then return next; return; end if;

          if (select count(*) from assent_elicitation where requester = in_requester and settled_at is null)
            >= in_requester_limit then full_of := 'requester'; return next; return; end if;
          if (select count(*) from assent_elicitation where participant = in_participant and state || '' = 'open')
            >= in_participant_limit then full_of := 'participant'; return next; return; end if;

          added := true;
          insert into assent_elicitation
            (id, version, state, requester, participant, type, identity, expires_at, question)
            values (in_id, in_version, in_state, in_requester, in_participant, in_type, in_identity,
              in_expires_at, in_question)
            on conflict (identity) where state = 'open' do nothing
            returning * into kept;
          if found then
            insert into assent_waiting (answerer, seq) select distinct unnest(in_answerers), kept.seq;
            return next;
            return;
          end if;
        end loop;
      end $$;
    `,
  },
  {
    version: 3,
    sql: `
      create table assent_passkey (
        seq bigserial primary key,
        id text not null unique,
        credential text not null unique,
        participant text not null,
        version integer not null,
        details text not null
      );
      create index assent_passkey_participant on assent_passkey (participant);
    `,
  },
  {
    version: 4,
    sql: `
      create table assent_hub_envelope (
        seq bigserial primary key,
        space text not null,
        sender text not null,
        id text not null,
        recipients text not null,
        at bigint not null,
        digest text not null,
        text text not null,
        state text not null,
        open text,
        unique (space, sender, id)
      );
      create index assent_hub_envelope_order on assent_hub_envelope (space, seq);
      create index assent_hub_envelope_open on assent_hub_envelope (space, seq) where open is not null;
      create table assent_hub_received (
        space text not null,
        participant text not null,
        seq bigint not null,
        primary key (space, participant)
      );

      create function assent_hub_append(batch jsonb)
      returns table (known boolean, digest text, state text, seq bigint)
      language plpgsql as $$
      #variable_conflict use_column
      declare
        given record;
        kept record;
      begin
        -- Until the end of the transaction, so that numbers become visible in their order.
        perform pg_advisory_xact_lock(4180202608);
        for given in select * from jsonb_to_recordset(batch) as one (space text, sender text, id text, recipients text,
          at bigint, digest text, text text, state text, open text, answers_from text, answers_id text, handed_to jsonb)
        loop
          insert into assent_hub_envelope (space, sender, id, recipients, at, digest, text, state, open)
            values (given.space, given.sender, given.id, given.recipients, given.at, given.digest, given.text,
              given.state, given.open)
            on conflict (space, sender, id) do nothing
            returning assent_hub_envelope.seq into kept;
          if not found then
            return query select true, e.digest, e.state, e.seq from assent_hub_envelope e
              where e.space = given.space and e.sender = given.sender and e.id = given.id;
            continue;
          end if;
          if given.answers_id is not null then
            update assent_hub_envelope e set open = null
              where e.space = given.space and e.sender = given.answers_from and e.id = given.answers_id;
          end if;
          insert into assent_hub_received as r (space, participant, seq)
            select distinct given.space, p, kept.seq from jsonb_array_elements_text(given.handed_to) as p
            on conflict (space, participant) do update set seq = greatest(r.seq, excluded.seq);
          return query select false, given.digest, given.state, kept.seq;
        end loop;
      end $$;

      create function assent_hub_change(in_space text, in_sender text, in_id text, in_text text, in_state text,
        sets_open boolean, in_open text)
      returns bigint language plpgsql as $$
      declare
        kept assent_hub_envelope;
        was text;
      begin
        perform pg_advisory_xact_lock(4180202608);
        select * into kept from assent_hub_envelope e
          where e.space = in_space and e.sender = in_sender and e.id = in_id for update;
        if not found then return null; end if;
        was := kept.state;
        kept.text := coalesce(in_text, kept.text);
        kept.state := coalesce(in_state, kept.state);
        if sets_open then kept.open := in_open; end if;
        if was <> 'sent' and kept.state = 'sent' then
          kept.seq := nextval(pg_get_serial_sequence('assent_hub_envelope', 'seq'));
        end if;
        update assent_hub_envelope e
          set seq = kept.seq, text = kept.text, state = kept.state, open = kept.open
          where e.space = in_space and e.sender = in_sender and e.id = in_id;
        return kept.seq;
      end $$;
    `,
  },
  {
    version: 5,
    sql: `
      alter table assent_elicitation
        add column urgency integer not null default 2, add column escalates_at bigint, add column voting text;
      create index assent_elicitation_escalates on assent_elicitation (escalates_at, seq) where escalates_at is not null;

      -- Beside assent_add_within, which processes of the version before call.
      create function assent_add_voting(
        in_id text, in_version integer, in_state text, in_requester text, in_participant text, in_type text,
        in_identity text, in_expires_at bigint, in_question text, in_answerers text[],
        in_requester_limit bigint, in_participant_limit bigint, in_urgency integer, in_escalates_at bigint
      ) returns table (added boolean, full_of text, kept assent_elicitation) language plpgsql as $$
      begin
        -- Serialises the questions of one participant: two at once could both pass the limit.
        perform pg_advisory_xact_lock(hashtextextended('assent participant ' || in_participant, 0));
        loop
          added := false;
          select * into kept from assent_elicitation where identity = in_identity and state = 'open';
          if found then return next; return; end if;

          if (select count(*) from assent_elicitation where requester = in_requester and settled_at is null)
            >= in_requester_limit then full_of := 'requester'; return next; return; end if;
          if (select count(*) from assent_elicitation where participant = in_participant and state || '' = 'open')
            >= in_participant_limit then full_of := 'participant'; return next; return; end if;

          added := true;
          insert into assent_elicitation
            (id, version, state, requester, participant, type, identity, expires_at, question, urgency, escalates_at)
            values (in_id, in_version, in_state, in_requester, in_participant, in_type, in_identity,
              in_expires_at, in_question, in_urgency, in_escalates_at)
            on conflict (identity) where state = 'open' do nothing
            returning * into kept;
          if found then
            insert into assent_waiting (answerer, seq) select distinct unnest(in_answerers), kept.seq;
            return next;
            return;
          end if;
        end loop;
      end $$;
    `,
  },
  {
    version: 6,
    sql: `
      create table assent_instance (
        id text primary key,
        started_at bigint not null,
        seen_at bigint not null,
        ahead_ms bigint not null,
        stopping smallint not null
      );
      create table assent_mail (
        seq bigint generated always as identity primary key,
        id text not null,
        recipient text not null,
        at bigint not null,
        sealed_key text not null,
        box text not null
      );
      create index assent_mail_recipient on assent_mail (recipient, seq);
      create table assent_session (
        session text primary key,
        revoked smallint not null,
        level text,
        stream text,
        expires_at bigint not null
      );
      create index assent_session_expires on assent_session (expires_at);
    `,
  },
  {
    version: 7,
    sql: `
      create table assent_rollup (
        period text collate "C" not null,
        kind text collate "C" not null,
        from_at bigint not null,
        server text collate "C" not null,
        name text collate "C" not null,
        outcome text collate "C" not null,
        count bigint not null,
        primary key (period, kind, from_at, server, name, outcome)
      );
    `,
  },
  {
    version: 8,
    sql: `
      create table assent_registration (
        issuer text not null,
        resource text not null,
        client_id text not null,
        version bigint not null,
        sealed_key text not null,
        box text not null,
        details text not null,
        primary key (issuer, resource)
      );
      create table assent_definition (
        server text not null,
        tool text not null,
        version bigint not null,
        details text not null,
        primary key (server, tool)
      );
    `,
  },
  {
    version: 9,
    sql: `
      -- Beside assent_hub_append and assent_hub_change, which processes of the version before call.
      create function assent_hub_post(batch jsonb)
      returns table (outcome text, digest text, state text, seq bigint)
      language plpgsql as $$
      #variable_conflict use_column
      declare
        given record;
        kept record;
      begin
        -- Until the end of the transaction, so that numbers become visible in their order.
        perform pg_advisory_xact_lock(4180202608);
        for given in select * from jsonb_to_recordset(batch) as one (space text, sender text, id text, recipients text,
          at bigint, digest text, text text, state text, open text, answers_from text, answers_id text, stops boolean,
          handed_to jsonb)
        loop
          select 'known' as outcome, e.digest, e.state, e.seq into kept from assent_hub_envelope e
            where e.space = given.space and e.sender = given.sender and e.id = given.id;
          if found then
            return query select kept.outcome, kept.digest, kept.state, kept.seq;
            continue;
          end if;
          if given.answers_id is not null then
            update assent_hub_envelope e
              set open = null, state = case when given.stops then 'stopped' else e.state end
              where e.space = given.space and e.sender = given.answers_from and e.id = given.answers_id
                and e.open is not null;
            if not found then
              return query select 'answered', null::text, null::text, null::bigint;
              continue;
            end if;
          end if;
          insert into assent_hub_envelope (space, sender, id, recipients, at, digest, text, state, open)
            values (given.space, given.sender, given.id, given.recipients, given.at, given.digest, given.text,
              given.state, given.open)
            returning assent_hub_envelope.seq into kept;
          insert into assent_hub_received as r (space, participant, seq)
            select distinct given.space, p, kept.seq from jsonb_array_elements_text(given.handed_to) as p
            on conflict (space, participant) do update set seq = greatest(r.seq, excluded.seq);
          return query select 'added', given.digest, given.state, kept.seq;
        end loop;
      end $$;

      create function assent_hub_amend(in_space text, in_sender text, in_id text, in_text text, in_state text,
        sets_open boolean, in_open text)
      returns bigint language plpgsql as $$
      declare
        kept assent_hub_envelope;
      begin
        perform pg_advisory_xact_lock(4180202608);
        select * into kept from assent_hub_envelope e
          where e.space = in_space and e.sender = in_sender and e.id = in_id for update;
        if not found or kept.open is null or (in_state = 'sent' and kept.state = 'sent') then return null; end if;
        kept.text := coalesce(in_text, kept.text);
        kept.state := coalesce(in_state, kept.state);
        if sets_open then kept.open := in_open; end if;
        if in_state = 'sent' then
          kept.seq := nextval(pg_get_serial_sequence('assent_hub_envelope', 'seq'));
        end if;
        update assent_hub_envelope e
          set seq = kept.seq, text = kept.text, state = kept.state, open = kept.open
          where e.space = in_space and e.sender = in_sender and e.id = in_id;
        return kept.seq;
      end $$;
    `,
  },
  {
    version: 10,
    sql: `
      create table assent_holding (
        holding text primary key,
        holder text not null,
        sealed_key text,
        box text,
        version integer not null,
        expires_at bigint not null
      );
      create index assent_holding_expires on assent_holding (expires_at);
    `,
  },
  {
    version: 11,
    sql: `
      create table assent_usage (
        id text primary key,
        used bigint not null,
        until_at bigint not null
      );
      create index assent_usage_until on assent_usage (until_at);
    `,
  },
  {
    version: 12,
    sql: `
      create table assent_owned (
        seq bigserial primary key,
        kind text not null,
        id text not null,
        key text not null,
        participant text not null,
        expires_at bigint not null,
        details text not null,
        unique (kind, id),
        unique (kind, key)
      );
      create index assent_owned_participant on assent_owned (participant, kind);
      create index assent_owned_expires on assent_owned (kind, expires_at);
    `,
  },
]

// Any number that no other program is likely to use as an advisory lock in this database.
const migrationLock = 4_180_202_607

/** Migrates the schema to the last of `steps`. Each step runs once, however many processes start at once. */
export async function migratePostgres(client: Client, steps: readonly Migration[]): Promise<void> {
  const known = steps.at(-1)?.version ?? 0
  try {
    // An up-to-date schema needs no lock and no right to create tables.
    while ((await schemaVersion(client, known)) < known) await applyNextStep(client, steps)
  } catch (error) {
    throw asStoreError(error)
  }
}

async function applyNextStep(client: Client, steps: readonly Migration[]): Promise<void> {
  await client.query('begin')
  await client.query(`select pg_advisory_xact_lock(${migrationLock})`)
  const version = await schemaVersion(client, steps.at(-1)?.version ?? 0)
  const step = steps.find((step) => step.version > version)
  if (step !== undefined) {
    await client.query(step.sql)
    await client.query('create table if not exists assent_meta (key text primary key, value text not null)')
    await client.query(
      `insert into assent_meta (key, value) values ('schema', $1) on conflict (key) do update set value = excluded.value`,
      [String(step.version)],
    )
  }
  await client.query('commit')
}

async function schemaVersion(client: Client, known: number): Promise<number> {
  // Not to_regclass(): its cache may not know a table that was created while we waited for the lock.
  const there = await client.query(`select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relname = 'assent_meta' and nspname = current_schema()`)
  if (there.rowCount === 0) return 0
  const { rows } = await client.query(`select value from assent_meta where key = 'schema'`)
  const version = Number(rows[0]?.value ?? 0)
  if (version > known) throw new SchemaNewer(version, known)
  return version
}
