// Connects to ports of this machine instead of the hosts in STAND_IN_PORTS, a JSON object such as { "discord.com:443": 41234 }.
// NODE_OPTIONS=--import loads this file into the server, but also into npm. This file is JavaScript, so that npm can load it on
// every version of Node.
import { Socket } from 'node:net'

const ports = JSON.parse(process.env['STAND_IN_PORTS'] ?? '{}')

const redirect = (options) => {
  const port = ports[`${options.host}:${options.port}`]
  return port === undefined ? options : { ...options, host: '127.0.0.1', port }
}

const { connect } = Socket.prototype

Socket.prototype.connect = function (...values) {
  const [first] = values
  // `net.connect` passes an array that starts with the options.
  if (Array.isArray(first)) first[0] = redirect(first[0])
  else if (typeof first === 'object' && first !== null) values[0] = redirect(first)
  return connect.apply(this, values)
}
