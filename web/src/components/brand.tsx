import { product } from '#lib/messages.ts'
import styles from './brand.module.css'

/** The product's sign, a ring and a disc that overlap, and its name. */
export function Brand({ className = '' }: { className?: string | undefined }) {
  return (
    <span className={`${styles.brand} ${className}`}>
      <svg viewBox="0 0 32 22" width="29" height="20" aria-hidden="true">
        <circle cx="11" cy="11" r="8.5" fill="none" stroke="var(--primary)" strokeWidth="3.5" />
        <circle cx="21" cy="11" r="10" fill="var(--green)" fillOpacity="0.9" />
      </svg>
      {product.name}
    </span>
  )
}
