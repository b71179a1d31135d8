export { type MailOptions, mailChannel } from './mail-channel.ts'
