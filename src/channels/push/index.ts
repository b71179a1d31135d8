export { type PushOptions, pushChannel } from './push-channel.ts'
