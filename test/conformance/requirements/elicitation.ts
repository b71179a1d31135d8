import { page, type Requirements, shown } from './requirement.ts'

const in06 = page('client/elicitation', '2025-06-18')
const in11 = page('client/elicitation', '2025-11-25')
const in26 = page('client/elicitation', '2026-07-28')
const since11 = page('client/elicitation', '2025-11-25', '2026-07-28')

/** What servers may ask of people, and what clients owe the people they show it to. */
export const elicitation: Requirements = {
  'E06-01': shown(in06('User Interaction Model'), 'A server of this revision asks for no sensitive data at all.'),
  'E06-02': shown(in06('Capabilities'), 'A client that can be asked says so when it initializes.'),
  'E06-03': shown(
    in06('User Interaction Model'),
    'The client shows which server asks, lets people change their answer, and offers to decline and to cancel.',
  ),
  'E06-04': shown(
    in06('Supported Schema Types'),
    'A form is one flat object of texts, numbers, ticks and enums, without arrays or nesting.',
  ),
  'E06-05': shown(in06('Response Actions'), 'The server tells accept, decline and cancel apart.'),
  'E06-06': shown(
    in06('Security Considerations'),
    'The client says what is asked and why, sends nothing without approval, and lets people decline at any time.',
  ),
  'E06-07': shown(in06('Security Considerations'), 'Client and server each check the answer against the schema.'),
  'E06-08': shown(in06('Security Considerations'), 'The client limits how often it can be asked.'),

  'E11-01': shown(
    since11('User Interaction Model'),
    'No form asks for a password, a key, a token or means of payment.',
  ),
  'E11-02': shown(since11('User Interaction Model'), 'Such secrets are asked for on a page, or not at all.'),
  'E11-03': shown(since11('User Interaction Model'), 'A form may ask for a name, an address or a user name.'),
  'E11-04': shown(since11('User Interaction Model'), 'The client makes clear which server asks.'),
  'E11-05': shown(since11('User Interaction Model'), 'Declining and cancelling are plain to see, and are two things.'),
  'E11-06': shown(since11('User Interaction Model'), 'People see and change what a form sends before it is sent.'),
  'E11-07': shown(
    since11('User Interaction Model'),
    'The client shows the host of a page, and asks before it goes there.',
  ),
  'E11-08': shown(in11('Capabilities'), 'A client that can be asked names its modes when it initializes.'),
  'E11-09': shown(since11('Capabilities'), 'An empty `elicitation` capability stands for forms alone.'),
  'E11-10': shown(since11('Capabilities'), 'A client that declares the capability can do at least one mode.'),
  'E11-11': shown(since11('Capabilities'), 'A server asks in no mode that this client did not declare.'),
  'E11-12': shown(
    since11('Elicitation Requests'),
    'Every question has a message, and names its mode unless that is form.',
  ),
  'E11-13': shown(since11('Elicitation Requests'), 'A question without a mode is a form.'),
  'E11-14': shown(since11('Form Mode Elicitation Requests'), 'A form comes with a schema.'),
  'E11-15': shown(
    since11('Requested Schema'),
    'The schema is flat, of simple fields and the five ways to write an enum.',
  ),
  'E11-16': shown(since11('Requested Schema'), 'A client that knows defaults fills them in.'),
  'E11-17': shown(
    in11('URL Mode Elicitation Requests'),
    'A question with a page has a mode, a message, a valid address and an id of its own.',
  ),
  'E11-18': shown(in11('URL Mode Elicitation Requests'), 'A client reads nothing into the id of a question.'),
  'E11-19': shown(
    since11('Response Actions'),
    'An accept of a page means that the person agreed to open it, not that they are done there.',
  ),
  'E11-20': shown(
    in11('Completion Notifications for URL Mode Elicitation'),
    'Only the client that was asked hears that a page is done, and by which id.',
  ),
  'E11-21': shown(
    in11('Completion Notifications for URL Mode Elicitation'),
    'A client ignores the completion of a question that it does not know, or that is done already.',
  ),
  'E11-22': shown(
    in11('Completion Notifications for URL Mode Elicitation'),
    'A client may retry when it hears of the completion; its person can retry or cancel without it.',
  ),
  'E11-23': shown(
    in11('URL Elicitation Required Error'),
    'A server may answer with -32042 where a page must be visited first, and nowhere else.',
  ),
  'E11-24': shown(
    in11('URL Elicitation Required Error'),
    'That error lists every page that is needed, each with an id, and nothing but pages.',
  ),
  'E11-25': shown(
    since11('Statefulness'),
    'What is kept about a question belongs to a verified user and is protected; a session id alone opens nothing.',
  ),
  'E11-26': shown(since11('URL Mode Elicitation for OAuth Flows'), 'No page of a question logs anybody in to us.'),
  'E11-27': shown(
    since11('Understanding the Distinction'),
    'Credentials of other services, also those given on our pages, never reach the client.',
  ),
  'E11-28': shown(
    since11('Understanding the Distinction'),
    'Other services never get the token of the client; the person authorizes the server itself.',
  ),
  'E11-29': shown(in11('Error Handling'), 'A client answers -32602 to a mode that it did not declare.'),
  'E11-30': shown(since11('Security Considerations'), 'Every question is bound to one client and one user.'),
  'E11-31': shown(
    since11('Security Considerations'),
    'The client gives control over each question, says what and why, and in 2025 limits how many come.',
  ),
  'E11-32': shown(since11('Safe URL Handling'), 'The address of a page says nothing about the person.'),
  'E11-33': shown(since11('Safe URL Handling'), 'The address of a page lets nobody in by itself.'),
  'E11-34': shown(
    since11('Safe URL Handling'),
    'Forms hold no links to click, and pages are on https outside development.',
  ),
  'E11-35': shown(since11('Safe URL Handling'), 'Nothing is fetched from the address before the person agrees.'),
  'E11-36': shown(since11('Safe URL Handling'), 'The whole address is shown first, and opened only after a clear yes.'),
  'E11-37': shown(since11('Safe URL Handling'), 'The page opens where neither client nor model can see or read along.'),
  'E11-38': shown(
    since11('Safe URL Handling'),
    'The client sets off the domain, warns of addresses that mislead, and makes no other address clickable.',
  ),
  'E11-39': shown(since11('Identifying the User'), 'Who somebody says they are counts for nothing until verified.'),
  'E11-40': shown(since11('Form Mode Security'), 'Client and server each check what a form brings.'),
  'E11-41': shown(
    since11('Phishing'),
    'Before a page takes anything, whoever opened it must prove to be the user who was asked.',
  ),
  'E11-42': shown(since11('Phishing'), 'No change to the address makes that check pass for somebody else.'),

  'E26-01': shown(in26('Capabilities'), 'The client declares with every request how it can be asked.'),
  'E26-02': shown(in26('Elicitation Requests'), 'A server asks only in the result of a request that is under way.'),
  'E26-03': shown(
    page('basic/index', '2026-07-28')('Error Codes'),
    'Ids of questions, notices of completion and -32042 are gone.',
  ),
  'E26-04': shown(
    in26('Example: Request Sensitive Data'),
    'When a client comes back from a page, the server decides by its own records, and asks again if it is not done.',
  ),
  'E26-05': shown(
    in26('Example: Request Sensitive Data'),
    'A person who was sent to a page can retry or cancel by hand.',
  ),
  'E26-06': shown(
    in26('Error Handling'),
    'The server has an end for a decline, a cancel and a client that fails, and never takes a yes for granted.',
  ),
  'E26-07': shown(in26('Statefulness'), 'A server need keep nothing to ask; what it keeps belongs to one user.'),
}
