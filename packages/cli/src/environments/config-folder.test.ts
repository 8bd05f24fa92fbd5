import { describe, expect, it } from 'vitest'
import { configFolder } from './config-folder.ts'

describe('the config folder', () => {
  it.each([
    ['linux', {}, '/home/ada/.config/flowpost'],
    ['linux', { XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada/flowpost'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/ada/.config/flowpost'],
    ['darwin', {}, '/home/ada/Library/Application Support/flowpost'],
    ['darwin', { XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada/flowpost'],
  ] as const)('on %s with %j is %s', (platform, env, folder) => {
    expect(configFolder({ platform, env, homeFolder: '/home/ada' })).toBe(folder)
  })

  it('on Windows is in APPDATA, or without it in the roaming profile', () => {
    const homeFolder = 'C:\\Users\\ada'
    expect(configFolder({ platform: 'win32', env: { APPDATA: 'D:\\data' }, homeFolder })).toBe('D:\\data\\flowpost')
    expect(configFolder({ platform: 'win32', env: {}, homeFolder })).toBe('C:\\Users\\ada\\AppData\\Roaming\\flowpost')
  })
})
