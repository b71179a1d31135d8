import type { Migration } from './step.ts'

/** Steps 2 to 4: a limit for each participant, passkeys, envelopes of the hub. */
export const passkeysAndHub: readonly Migration[] = [
  {
    version: 2,
    sql: `
      -- As with the other indexes of this table: no other one fits a query with this condition.
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
]
