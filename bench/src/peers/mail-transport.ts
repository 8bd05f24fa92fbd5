import { createTransport, type Transporter } from 'nodemailer'

/** Opens nodemailer's pool on a mail server of this machine. */
export const openTransport = (port: number, connections: number): Transporter =>
  createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true, pool: true, maxConnections: connections })
