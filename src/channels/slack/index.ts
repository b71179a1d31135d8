export { type SlackOptions, slackChannel } from './slack-channel.ts'
