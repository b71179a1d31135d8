import type { Migration } from './step.ts'

/** Steps 9 to 12: spaces and sessions shared by instances, limits of rules, tokens and push subscriptions. */
export const sharingAndLimits: readonly Migration[] = [
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
