import { useQuery, useQueryClient } from '@tanstack/react-query'
import { BellOff, BellRing, Send, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { Field } from '#components/field.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { deviceId } from '#lib/device.ts'
import { product } from '#lib/messages.ts'
import { alerts as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import switchStyles from './alert-switch.module.css'
import styles from './devices.module.css'
import {
  type Changes,
  changeDevice,
  type Dispositivo,
  listDevices,
  removeDevice,
  tryDevice,
  turnOff,
  turnOn,
} from './push.ts'

type DevicesProps = { worker: ServiceWorkerRegistration; userId: string }

/** Whether this device is told, of what and when; and the person's other devices. */
export default function Devices({ worker, userId }: DevicesProps) {
  const cache = useQueryClient()
  const queryKey = ['dispositivos', userId]
  const list = useQuery({ queryKey, queryFn: ({ signal }) => listDevices(signal), retry: 1 })
  const [busy, setBusy] = useState(false)
  const [blocked, setBlocked] = useState(Notification.permission === 'denied')
  const readOnly = useReadOnly()
  const own = list.data?.find(({ id }) => id === deviceId.get())
  const others = list.data?.filter((one) => one !== own) ?? []

  /** One at a time: each reads what the one before has made. */
  const run = async (action: () => Promise<unknown>) => {
    if (busy || readOnly.title) return
    setBusy(true)
    try {
      await action()
    } catch (error) {
      notify.error(serverSentence(error))
    }
    await cache.invalidateQueries({ queryKey })
    setBusy(false)
  }

  const toggle = () =>
    run(async () => {
      if (own) await turnOff()
      else if (!(await turnOn(worker))) setBlocked(Notification.permission === 'denied')
    })

  if (list.isPending) return <p role="status">{product.loading}</p>
  if (list.isError)
    return (
      <p>
        {product.notLoaded} <Button onClick={() => void list.refetch()}>{product.retry}</Button>
      </p>
    )
  const Icon = own ? BellRing : BellOff
  return (
    <div className={styles.devices}>
      <div className={switchStyles.row}>
        <Button
          variant="quiet"
          role="switch"
          aria-checked={own !== undefined}
          aria-describedby="avisos-detalle"
          aria-disabled={blocked || readOnly['aria-disabled'] || undefined}
          title={readOnly.title}
          icon={<Icon />}
          onClick={() => void toggle()}
        >
          {text.onThisDevice}
          <span className={switchStyles.track} aria-hidden="true" />
        </Button>
        <p id="avisos-detalle" className={switchStyles.detail}>
          {blocked ? text.blocked : text.closedToo}
        </p>
      </div>
      {own ? (
        <Choices
          device={own}
          onChange={(changes) => void run(() => changeDevice(own.id, changes))}
          onTry={() =>
            void run(async () => {
              await tryDevice(own.id)
              notify.success(text.tried)
            })
          }
        />
      ) : null}
      {others.length > 0 ? (
        <Others list={others} onRemove={(id) => void run(() => removeDevice(id))} />
      ) : null}
    </div>
  )
}

type ChoicesProps = {
  device: Dispositivo
  onChange: (changes: Changes) => void
  onTry: () => void
}

const EVENTS = ['propuestas', 'respuestas', 'eliminados', 'comentarios'] as const

function Choices({ device, onChange, onTry }: ChoicesProps) {
  const readOnly = useReadOnly()
  const { eventos, ver_titulo, silencio_desde, silencio_hasta } = device
  const quiet = silencio_desde !== null
  const choose = (event: (typeof EVENTS)[number]) =>
    onChange({
      eventos: eventos.includes(event)
        ? eventos.filter((each) => each !== event)
        : [...eventos, event],
    })
  return (
    <>
      <fieldset className={styles.group} disabled={readOnly.title !== undefined}>
        <legend className={styles.legend}>{text.which}</legend>
        {EVENTS.map((event) => (
          <Box
            key={event}
            label={text.events[event]}
            checked={eventos.includes(event)}
            onChange={() => choose(event)}
          />
        ))}
      </fieldset>
      <fieldset className={styles.group} disabled={readOnly.title !== undefined}>
        <legend className={styles.legend}>{text.how}</legend>
        <Box
          label={text.showTitle}
          checked={ver_titulo}
          onChange={() => onChange({ ver_titulo: !ver_titulo })}
        />
        <Box
          label={text.quiet}
          checked={quiet}
          onChange={() =>
            onChange(
              quiet
                ? { silencio_desde: null, silencio_hasta: null }
                : { silencio_desde: '22:30', silencio_hasta: '08:30' },
            )
          }
        />
        {quiet ? (
          <div className={styles.hours}>
            <Hour
              label={text.from}
              value={silencio_desde}
              onChange={(hour) => onChange({ silencio_desde: hour })}
            />
            <Hour
              label={text.until}
              value={silencio_hasta ?? ''}
              onChange={(hour) => onChange({ silencio_hasta: hour })}
            />
          </div>
        ) : null}
      </fieldset>
      <Button {...readOnly} className={styles.try} icon={<Send />} onClick={onTry}>
        {text.try}
      </Button>
    </>
  )
}

type BoxProps = { label: string; checked: boolean; onChange: () => void }

const Box = ({ label, checked, onChange }: BoxProps) => (
  <label className={styles.label}>
    <input type="checkbox" className={styles.box} checked={checked} onChange={onChange} />
    {label}
  </label>
)

type HourProps = { label: string; value: string; onChange: (hour: string) => void }

/** Told when it is left: while it is typed it is no hour yet. */
function Hour({ label, value, onChange }: HourProps) {
  const known = value.slice(0, 5)
  const [typed, setTyped] = useState(known)
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="time"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={() => {
            if (typed === '') setTyped(known)
            else if (typed !== known) onChange(typed)
          }}
        />
      )}
    </Field>
  )
}

type OthersProps = { list: readonly Dispositivo[]; onRemove: (id: string) => void }

function Others({ list, onRemove }: OthersProps) {
  const readOnly = useReadOnly()
  return (
    <section aria-label={text.others}>
      <p className={styles.legend}>{text.others}</p>
      <ul className={styles.list}>
        {list.map(({ id, nombre }) => (
          <li key={id} className={styles.row}>
            <bdi>{nombre}</bdi>
            <Button
              {...readOnly}
              variant="quiet"
              aria-label={`${text.remove}: ${nombre}`}
              icon={<X />}
              onClick={() => onRemove(id)}
            >
              {text.remove}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
